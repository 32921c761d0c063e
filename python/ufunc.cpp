// fastnp.ufunc: one object for every elementwise op of the catalogue that NumPy has as a ufunc, with NumPy's calling conventions. What is about
// the op's kind is here once; loops that only NumPy has (objects, dates, long double) are NumPy's, on views.
#include "ufunc.h"
#include "as_method.h"
#include "compat.h"

#include <structmember.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "fastnp/detail/joined.h"
#include "fastnp/detail/memory.h"
#include "float_errors.h"
#include "functions.h"
#include "number.h"
#include "overrides.h"
#include "picking.h"
#include "size.h"
#include "tape.h"

namespace fastnp::python {

namespace {

using Function1 = array (*)(const Operand&, const UfuncOptions&);
using Pair1 = std::pair<array, array> (*)(const Operand&);
using Pair2 = std::pair<array, array> (*)(const Operand&, const Operand&);

struct Row {
    const char* name;
    Function1 one = nullptr;
    BinaryUfunc two = nullptr;
    Pair1 pair_of_one = nullptr;
    Pair2 pair_of_two = nullptr;
    int inputs() const { return two != nullptr || pair_of_two != nullptr ? 2 : 1; }
    int outputs() const { return pair_of_one != nullptr || pair_of_two != nullptr ? 2 : 1; }
};

constexpr Row rows[] = {
#define MAP1(name, rule, meaning, partial, traits, doc) {#name, &fastnp::name},
#define MAP2(name, rule, meaning, partial_x, partial_y, traits, doc) {#name, nullptr, &fastnp::name},
#include "fastnp/ops/map.def"
    {"divmod", nullptr, nullptr, nullptr, &fastnp::divmod},
    {"frexp", nullptr, nullptr, &fastnp::frexp},
    {"modf", nullptr, nullptr, &fastnp::modf},
};

struct Ufunc {
    PyObject_HEAD vectorcallfunc call;
    const Row* row;
    PyObject* name;
};
PyTypeObject* ufunc_type = nullptr;
const UfuncOptions no_options;

const Row& row_of(PyObject* self) { return *reinterpret_cast<Ufunc*>(self)->row; }
// NumPy's, which may have the same function under two.
const char* name_of(PyObject* self) { return PyUnicode_AsUTF8(reinterpret_cast<Ufunc*>(self)->name); }

struct Parsed {
    PyObject* inputs[2] = {};
    PyObject* outs[2] = {};
    UfuncOptions options;
    bool plain = true;  // no options besides out
    Order order = Order::keep;
};

bool is_named(PyObject* name, const char* text) { return PyUnicode_CompareWithASCIIString(name, text) == 0; }

// The dtype of signature="dd->d": of a loop that takes and gives one.
std::optional<Dtype> dtype_of_signature(const Row& row, PyObject* value) {
    const char* text = PyUnicode_Check(value) ? PyUnicode_AsUTF8(value) : nullptr;
    const std::string_view all(text == nullptr ? "" : text);
    if (row.outputs() != 1 || all.size() < 4) throw NeedsNumpy{};
    const std::string loop = std::string(static_cast<std::size_t>(row.inputs()), all[0]) + "->" + all[0];
    if (all != loop) throw NeedsNumpy{};
    return to_dtype(own(PyUnicode_FromStringAndSize(all.data(), 1)).get());
}

void parse_keyword(const Row& row, Parsed& parsed, PyObject* name, PyObject* value) {
    if (is_named(name, "out")) {
        if (value == Py_None) return;
        if (parsed.outs[0] != nullptr || parsed.outs[1] != nullptr)
            raise(PyExc_TypeError, "cannot specify 'out' as both a positional and keyword argument");
        if (!PyTuple_CheckExact(value)) {
            if (row.outputs() > 1) raise(PyExc_TypeError, "'out' must be a tuple of arrays");
            parsed.outs[0] = value;
            return;
        }
        if (PyTuple_GET_SIZE(value) != row.outputs()) raise(PyExc_ValueError, "The 'out' tuple must have exactly one entry per ufunc output");
        for (int i = 0; i < row.outputs(); ++i) parsed.outs[i] = PyTuple_GET_ITEM(value, i);
    } else if (is_named(name, "where")) {
        if (value == Py_True) return;
        parsed.options.where = to_array(value);
        if (parsed.options.where->dtype() != Dtype::bool_) throw NeedsNumpy{};
        parsed.plain = false;
    } else if (is_named(name, "dtype")) {
        if (parsed.options.dtype) throw NeedsNumpy{};  // beside signature=, which it refuses
        parsed.options.dtype = to_dtype(value);
        parsed.plain = parsed.plain && !parsed.options.dtype;
    } else if (is_named(name, "casting")) {
        parsed.options.casting = to_casting(value);
        parsed.plain = false;
    } else if (is_named(name, "order")) {
        parsed.order = to_order(value, Order::keep);
        if (parsed.order == Order::any) throw NeedsNumpy{};
    } else if (is_named(name, "signature")) {
        if (parsed.options.dtype) throw NeedsNumpy{};
        parsed.options.dtype = dtype_of_signature(row, value);
        parsed.plain = false;
    } else if (!is_named(name, "subok")) {
        throw NeedsNumpy{};  // which knows it, or has words for it
    }
}

Parsed parse(const Row& row, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    Parsed parsed;
    if (nargs < row.inputs() || nargs > row.inputs() + row.outputs()) {
        const std::string range = "from " + std::to_string(row.inputs()) + " to " + std::to_string(row.inputs() + row.outputs());
        raise(PyExc_TypeError, std::string(row.name) + "() takes " + range + " positional arguments but " + std::to_string(nargs) +
                                   (nargs == 1 ? " was given" : " were given"));
    }
    for (int i = 0; i < row.inputs(); ++i) parsed.inputs[i] = args[i];
    for (Py_ssize_t i = row.inputs(); i < nargs; ++i) parsed.outs[i - row.inputs()] = args[i];
    const Py_ssize_t named = kwnames == nullptr ? 0 : PyTuple_GET_SIZE(kwnames);
    for (Py_ssize_t i = 0; i < named; ++i) parse_keyword(row, parsed, PyTuple_GET_ITEM(kwnames, i), args[nargs + i]);
    return parsed;
}

PyObject* into(PyObject* out, array result) {
    if (is_missing(out)) return wrap_scalar(std::move(result));
    UfuncOptions options;
    options.out = to_out(out);
    positive(result.dtype() == Dtype::bool_ ? result.astype(options.out->dtype()) : result, options);
    return Py_NewRef(out);
}

// A result as order= has it.
array ordered(array result, Order order) {
    if (order == Order::keep || result.ndim() < 2) return result;
    const bool lies_so = !result.is_recorded() && (order == Order::c ? result.is_c_contiguous() : result.is_f_contiguous());
    return lies_so ? result : result.copy(order);
}

PyObject* run(const Row& row, Parsed& parsed) {
    if (row.outputs() == 2) {
        if (!parsed.plain || parsed.order != Order::keep || is_missing(parsed.outs[0]) != is_missing(parsed.outs[1])) throw NeedsNumpy{};
        for (PyObject* out : parsed.outs) (void)to_out(out);  // before the first is written, which may be the operand
        const Operand x = to_operand(parsed.inputs[0]);
        std::pair<array, array> both = row.pair_of_one != nullptr ? row.pair_of_one(x) : row.pair_of_two(x, to_operand(parsed.inputs[1]));
        const Ref first = own(into(parsed.outs[0], std::move(both.first)));
        const Ref second = own(into(parsed.outs[1], std::move(both.second)));
        return check(PyTuple_Pack(2, first.get(), second.get()));
    }
    for (int i = 0; i < row.inputs(); ++i) (void)records_with(parsed.inputs[i]);
    parsed.options.out = to_out(parsed.outs[0]);
    const Operand x = to_operand(parsed.inputs[0]);
    array result = row.one != nullptr ? row.one(x, parsed.options) : row.two(x, to_operand(parsed.inputs[1]), parsed.options);
    if (!is_missing(parsed.outs[0])) return Py_NewRef(parsed.outs[0]);
    return wrap_scalar(ordered(std::move(result), parsed.order));
}

// The call without keywords that most are, or null.
PyObject* call_plain(const Row& row, PyObject* const* args) {
    if (row.one != nullptr && is_ndarray(args[0])) return wrap_scalar(row.one(value_of(args[0]), no_options));
    if (row.one != nullptr && is_recorded_float(args[0])) return wrap_scalar(row.one(float_value(args[0]), no_options));
    if (row.one != nullptr && is_size(args[0])) return wrap_scalar(row.one(detail::size_value(size_of(args[0])), no_options));
    if (row.two != nullptr && is_ndarray(args[0]) && is_ndarray(args[1])) {
        return wrap_scalar(row.two(value_of(args[0]), value_of(args[1]), no_options));
    }
    return nullptr;
}

PyObject* call_parsed(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    const Row& row = row_of(self);
    std::vector<Ref> sized;
    if (records() && kwnames == nullptr && nargs == 2 && row.two != nullptr && (is_recorded_number(args[0]) || is_recorded_number(args[1])) &&
        numbers_as_arrays(row.name, args, sized)) {
        return wrap_scalar(row.two(value_of(sized[0].get()), value_of(sized[1].get()), no_options));
    }
    try {
        if (any_overrides(args, count_of(nargs, kwnames))) throw NeedsNumpy{};
        Parsed parsed = parse(row, args, nargs, kwnames);
        return run(row, parsed);
    } catch (const NeedsNumpy&) {
    } catch (const TypeError& error) {  // which loop it is that lacks, NumPy says in one of two ways, by errors of its own
        const std::string_view words = error.what();
        const bool lacks_loop = words.starts_with("No loop matching") || words.find("did not contain a loop with signature") != std::string_view::npos;
        if (records() || !lacks_loop) throw;
    }
    return call_numpy(name_of(self), args, nargs, kwnames);
}

// Whether there is where= without out=: NumPy warns of elements that are none.
bool is_partial(PyObject* kwnames) {
    bool has_where = false, has_out = false;
    for (Py_ssize_t i = 0; kwnames != nullptr && i < PyTuple_GET_SIZE(kwnames); ++i) {
        has_where = has_where || is_named(PyTuple_GET_ITEM(kwnames, i), "where");
        has_out = has_out || is_named(PyTuple_GET_ITEM(kwnames, i), "out");
    }
    return has_where && !has_out;
}

PyObject* call_ufunc(PyObject* self, PyObject* const* args, std::size_t flagged, PyObject* kwnames) {
    const Row& row = row_of(self);
    const Py_ssize_t nargs = PyVectorcall_NARGS(flagged);
    return guarded([&] {
        FloatWatch watch(name_of(self), args, nargs, kwnames);
        const bool is_plain = kwnames == nullptr && nargs == row.inputs();
        if (!is_plain) {
            watch.set_outputs(row.inputs());
            if (is_partial(kwnames) && nargs == row.inputs()) watch.ask();
            watch.keep_overwritten();
        }
        return watched(watch, [&] {
            PyObject* const made = is_plain ? call_plain(row, args) : nullptr;
            return made != nullptr ? made : call_parsed(self, args, nargs, kwnames);
        });
    });
}

// "add.reduce" by NumPy, on views.
PyObject* numpy_method(PyObject* self, const char* method, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return call_numpy((std::string(name_of(self)) + "." + method).c_str(), args, nargs, kwnames);
}

void binary_only(const Row& row, const char* method) {
    if (row.inputs() != 2) raise(PyExc_ValueError, std::string(method) + " only supported for binary functions");
    if (row.outputs() != 1) raise(PyExc_ValueError, std::string(method) + " only supported for functions returning a single value");
}

bool is_logical(const Row& row) { return row.two == &logical_or || row.two == &logical_and || row.two == &logical_xor; }

bool sums(const Row& row) { return row.two == &add || row.two == &multiply; }

// Whether NumPy rounds what it has so far to the dtype of out=, now and then.
bool rounds_to_out(const Row& row, const array& x, const std::optional<Dtype>& wanted, const std::optional<array>& out) {
    return out && !sums(row) && !is_logical(row) && out->dtype() != detail::joined_dtype(row.two, x.dtype(), wanted);
}

// What NumPy's loops do in another way: halves that they join as floats, elements that where= leaves out of what has nothing to put in their place.
bool is_numpys_alone(const Row& row, const array& x, const FoldOptions& options) {
    if (rounds_to_out(row, x, options.dtype, options.out)) return true;
    const bool subtracts = row.two == &subtract || row.two == &divide;
    if (is_logical(row)) return options.dtype && options.dtype != Dtype::bool_;
    if (subtracts && options.dtype.value_or(x.dtype()) == Dtype::float16) return true;
    if (!options.where) return false;
    constexpr BinaryUfunc known[] = {&add,        &multiply,    &maximum, &minimum, &fmax,      &fmin,      &bitwise_and,
                                     &bitwise_or, &bitwise_xor, &gcd,     &hypot,   &logaddexp, &logaddexp2};
    return std::find(std::begin(known), std::end(known), row.two) == std::end(known);
}

// The dtype of initial=.
Dtype dtype_of_start(const Row& row, const array& x, const std::optional<Dtype>& wanted) {
    if (wanted || sums(row) || is_logical(row)) return wanted.value_or(x.dtype());
    return detail::joined_dtype(row.two, x.dtype(), wanted);
}

PyObject* reduce_by_row(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    static const Signature signature("reduce", "array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True");
    const Row& row = row_of(self);
    try {
        if (any_overrides(args, count_of(nargs, kwnames))) throw NeedsNumpy{};
        PyObject* v[Signature::most] = {};
        signature.bind(nullptr, args, nargs, kwnames, v);
        FoldOptions options;
        options.axis = v[1] == nullptr ? Axes(0) : to_axes(v[1]);
        options.dtype = to_dtype(v[2]);
        options.out = to_out(v[3]);
        options.keepdims = v[4] != nullptr && is_true(v[4]);
        if (v[5] == Py_None) throw NeedsNumpy{};  // initial=None: no identity
        const array elements = to_array(v[0]);
        options.where = to_mask(v[6]);
        const bool keeps_sign = options.where && !is_missing(v[5]) && (row.two == &hypot || row.two == &gcd);  // of initial=, where nothing takes part
        if (keeps_sign || is_numpys_alone(row, elements, options)) throw NeedsNumpy{};
        if (!is_missing(v[5])) options.initial = to_initial(v[5], dtype_of_start(row, elements, options.dtype));
        return finish(fastnp::reduce(row.two, elements, options), v[3]);
    } catch (const NeedsNumpy&) {
    } catch (const TypeError&) {  // NumPy says what is wrong in words of its own
        if (records()) throw;
    }
    return numpy_method(self, "reduce", args, nargs, kwnames);
}

PyObject* reduce(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return guarded([&]() -> PyObject* {
        binary_only(row_of(self), "reduce");
        FloatWatch watch(name_of(self), args, nargs, kwnames);
        watch.set_method("reduce");
        watch.set_outputs(3, 1);
        watch.keep_overwritten();
        return watched(watch, [&] { return reduce_by_row(self, args, nargs, kwnames); });
    });
}

PyObject* accumulate_by_row(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    static const Signature signature("accumulate", "array, axis=0, dtype=None, out=None");
    const Row& row = row_of(self);
    try {
        if (any_overrides(args, count_of(nargs, kwnames))) throw NeedsNumpy{};
        PyObject* v[Signature::most] = {};
        signature.bind(nullptr, args, nargs, kwnames, v);
        AxisOptions options;
        refuse_bool(v[1], "an integer is required for the axis");
        PyObject* const axis = v[1] != nullptr && PyTuple_Check(v[1]) && PyTuple_GET_SIZE(v[1]) == 1 ? PyTuple_GET_ITEM(v[1], 0) : v[1];
        if (axis != nullptr && PyTuple_Check(axis)) throw NeedsNumpy{};  // which refuses it
        const array x = to_array(v[0]);
        if (axis == Py_None && x.ndim() != 1) throw NeedsNumpy{};  // it accumulates along one axis
        options.axis = axis == nullptr || axis == Py_None ? 0 : to_axis(axis);
        options.dtype = to_dtype(v[2]);
        options.out = to_out(v[3]);
        if (x.ndim() == 0 || (is_logical(row) && options.dtype && options.dtype != Dtype::bool_)) throw NeedsNumpy{};
        if (rounds_to_out(row, x, options.dtype, options.out)) throw NeedsNumpy{};
        return finish(fastnp::accumulate(row.two, x, options), v[3]);
    } catch (const NeedsNumpy&) {
    } catch (const TypeError&) {  // NumPy says what is wrong in words of its own
        if (records()) throw;
    }
    return numpy_method(self, "accumulate", args, nargs, kwnames);
}

PyObject* accumulate(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return guarded([&]() -> PyObject* {
        binary_only(row_of(self), "accumulate");
        FloatWatch watch(name_of(self), args, nargs, kwnames);
        watch.set_method("accumulate");
        watch.set_outputs(3, 1);
        watch.keep_overwritten();
        return watched(watch, [&] { return accumulate_by_row(self, args, nargs, kwnames); });
    });
}

PyObject* outer_product(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return guarded([&]() -> PyObject* {
        const Row& row = row_of(self);
        if (row.inputs() != 2) raise(PyExc_ValueError, "outer product only supported for binary functions");
        FloatWatch watch(name_of(self), args, nargs, kwnames);
        watch.set_method("outer");
        watch.set_outputs(2, 0);
        watch.keep_overwritten();
        try {
            if (row.two == nullptr || nargs != 2 || any_overrides(args, count_of(nargs, kwnames))) throw NeedsNumpy{};
            Parsed parsed = parse(row, args, nargs, kwnames);
            parsed.options.out = to_out(parsed.outs[0]);
            const array x = to_array(args[0]);
            const array y = to_array(args[1]);
            constexpr int most_axes = 64;
            if (x.ndim() + y.ndim() > most_axes) throw NeedsNumpy{};  // which refuses them
            std::vector<Index> subscript{ellipsis};
            for (int i = 0; i < y.ndim(); ++i) subscript.emplace_back(newaxis);
            return watched(watch, [&] {
                array result = row.two(x.index(subscript), y, parsed.options);
                return is_missing(parsed.outs[0]) ? wrap_scalar(ordered(std::move(result), parsed.order)) : finish(std::move(result), parsed.outs[0]);
            });
        } catch (const NeedsNumpy&) {
            return numpy_method(self, "outer", args, nargs, kwnames);
        }
    });
}

// What of ufunc.at can be recorded, and done to what is on a device; false for the rest.
bool record_at(const Row& row, PyObject* const* args, Py_ssize_t nargs) {
    if (!is_ndarray(args[0]) || row.outputs() != 1 || nargs != row.inputs() + 1) return false;
    try {
        if (row.one != nullptr) return combine_picked(row.one, value_of(args[0]), args[1]);
        return combine_picked(row.two, value_of(args[0]), args[1], args[2]);
    } catch (const NeedsNumpy&) {
    } catch (const IndexError&) {
        if (records()) throw;
    } catch (const ValueError&) {
        if (records()) throw;
    } catch (const TypeError&) {
        if (records()) throw;
    }
    return false;  // what is wrong is for NumPy to say
}

// NumPy 2.4 reads behind an operand of fewer axes than its index has, where the array has one axis: it is given one of as many. Null where that is none.
Ref as_long_as(PyObject* x, PyObject* key, PyObject* operand) {
    PyObject* const index = PyTuple_CheckExact(key) && PyTuple_GET_SIZE(key) == 1 ? PyTuple_GET_ITEM(key, 0) : key;
    const auto rank_of = [](PyObject* each) { return PyArray_Check(each) ? PyArray_NDIM(as_numpy(each)) : is_ndarray(each) ? value_of(each).ndim() : -1; };
    if (rank_of(x) != 1 || rank_of(operand) < 1 || !(PyList_CheckExact(index) || PyArray_Check(index))) return {};
    const Ref places(PyArray_FROM_O(index));
    if (places && PyArray_ISINTEGER(as_numpy(places.get())) && PyArray_NDIM(as_numpy(places.get())) > rank_of(operand)) {
        const Ref shape(PyObject_GetAttrString(places.get(), "shape")), function = import_attribute("numpy", "broadcast_to");
        const Ref repeated(PyObject_CallFunctionObjArgs(function.get(), operand, shape.get(), nullptr));
        if (repeated) return Ref(PyObject_CallMethod(repeated.get(), "copy", nullptr));
    }
    PyErr_Clear();  // NumPy says what is wrong
    return {};
}

PyObject* at(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return guarded([&]() -> PyObject* {
        for (Py_ssize_t i = 1; i < nargs; ++i) (void)records_with(args[i]);
        if (nargs > 0 && is_ndarray(args[0])) {
            if (!reinterpret_cast<NdArray*>(args[0])->scalar) prepare_write(args[0]);
            else if (nargs == 3) raise(PyExc_TypeError, "first operand must be array");
            else return numpy_method(self, "at", args, nargs, kwnames);  // it may lack an operand besides
        }
        const bool is_ours = nargs > 1 && (records_with(args[0]) || (is_ndarray(args[0]) && !compat::may_leave(value_of(args[0]))));
        if (is_ours && kwnames == nullptr && !any_overrides(args, nargs) && record_at(row_of(self), args, nargs)) return Py_NewRef(Py_None);
        if (nargs != 3 || kwnames != nullptr) return numpy_method(self, "at", args, nargs, kwnames);
        const Ref repeated = as_long_as(args[0], args[1], args[2]);
        PyObject* const given[] = {args[0], args[1], repeated ? repeated.get() : args[2]};
        return numpy_method(self, "at", given, nargs, kwnames);
    });
}
PyObject* reduceat(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return guarded([&] { return numpy_method(self, "reduceat", args, nargs, kwnames); });
}

PyObject* pickled(PyObject* self, PyObject*) { return PyUnicode_FromString(name_of(self)); }

Ref numpy_ufunc(PyObject* self) { return import_attribute("numpy", name_of(self)); }

PyObject* by_numpy(PyObject* self, void* name) {
    return guarded([&] { return check(PyObject_GetAttrString(numpy_ufunc(self).get(), static_cast<const char*>(name))); });
}
PyObject* get_nin(PyObject* self, void*) { return PyLong_FromLong(row_of(self).inputs()); }
PyObject* get_nout(PyObject* self, void*) { return PyLong_FromLong(row_of(self).outputs()); }
PyObject* get_nargs(PyObject* self, void*) { return PyLong_FromLong(row_of(self).inputs() + row_of(self).outputs()); }
PyObject* get_doc(PyObject* self, void*) {
    return guarded([&] { return check(PyObject_CallOneArg(import_attribute("fastnp._doc", "text_of").get(), reinterpret_cast<Ufunc*>(self)->name)); });
}

PyObject* repr(PyObject* self) { return PyUnicode_FromFormat("<ufunc '%s'>", name_of(self)); }

PyMethodDef ufunc_methods[] = {{"reduce", as_method(reduce), METH_FASTCALL | METH_KEYWORDS, "Folds an axis (or several)."},
                               {"accumulate", as_method(accumulate), METH_FASTCALL | METH_KEYWORDS, "Folds an axis, keeping every partial result."},
                               {"outer", as_method(outer_product), METH_FASTCALL | METH_KEYWORDS, "Applies the function to every pair of elements."},
                               {"at", as_method(at), METH_FASTCALL | METH_KEYWORDS, "Applies the function in place at indices, repeated ones too."},
                               {"reduceat", as_method(reduceat), METH_FASTCALL | METH_KEYWORDS, "Folds slices of an axis."},
                               {"__reduce__", pickled, METH_NOARGS, nullptr},
                               {nullptr, nullptr, 0, nullptr}};

PyGetSetDef ufunc_properties[] = {
    {"nin", get_nin, nullptr, "The number of inputs.", nullptr},
    {"nout", get_nout, nullptr, "The number of outputs.", nullptr},
    {"nargs", get_nargs, nullptr, "The number of inputs and outputs.", nullptr},
    {"types", by_numpy, nullptr, "The loops, as NumPy writes them; NumPy has those of objects and the like.", const_cast<char*>("types")},
    {"ntypes", by_numpy, nullptr, "The number of loops.", const_cast<char*>("ntypes")},
    {"identity", by_numpy, nullptr, "What reducing nothing gives, or None.", const_cast<char*>("identity")},
    {"resolve_dtypes", by_numpy, nullptr, "The dtypes of a loop for operands.", const_cast<char*>("resolve_dtypes")},
    {"signature", by_numpy, nullptr, "None: elementwise.", const_cast<char*>("signature")},
    {"__doc__", get_doc, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMemberDef ufunc_members[] = {{"__name__", T_OBJECT, offsetof(Ufunc, name), READONLY, nullptr},
                               {"__qualname__", T_OBJECT, offsetof(Ufunc, name), READONLY, nullptr},
                               {"__vectorcalloffset__", T_PYSSIZET, offsetof(Ufunc, call), READONLY, nullptr},
                               {nullptr, 0, 0, 0, nullptr}};

// Rows of the catalogue that are no ufuncs in NumPy: halves of frexp and modf, a complex number of its parts, and real and imag, which are functions
// (reductions.cpp).
bool is_hidden(std::string_view name) {
    return name.starts_with("frexp_") || name.starts_with("modf_") || name == "from_parts" || name == "real" || name == "imag";
}

// Ufuncs of NumPy's that are others under two names, of which objects that are asked are told.
constexpr std::pair<const char*, const char*> second_names[] = {{"deg2rad", "radians"}, {"rad2deg", "degrees"}};

void add_ufunc(PyObject* module, const Row& row, const char* name) {
    auto* ufunc = reinterpret_cast<Ufunc*>(check(ufunc_type->tp_alloc(ufunc_type, 0)));
    ufunc->call = call_ufunc;
    ufunc->row = &row;
    ufunc->name = PyUnicode_InternFromString(name);
    check(PyModule_AddObject(module, name, reinterpret_cast<PyObject*>(ufunc)));
}

}  // namespace

void add_ufuncs(PyObject* module) {
#define SLOT(name, function) {name, reinterpret_cast<void*>(function)}
    PyType_Slot slots[] = {SLOT(Py_tp_repr, repr),           SLOT(Py_tp_call, PyVectorcall_Call), {Py_tp_methods, ufunc_methods},
                           {Py_tp_getset, ufunc_properties}, {Py_tp_members, ufunc_members},      {0, nullptr}};
#undef SLOT
    PyType_Spec spec = {"fastnp.ufunc", sizeof(Ufunc), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    document(ufunc_methods, "ufunc");
    ufunc_type = add_type(module, "ufunc", spec);
    for (const Row& row : rows) {
        if (!is_hidden(row.name)) add_ufunc(module, row, row.name);
        for (const auto& [name, other] : second_names) {
            if (row.name == std::string_view(other)) add_ufunc(module, row, name);
        }
    }
}

PyObject* catalogue() {
    Ref list = own(PyList_New(0));
    auto add = [&](const char* name, const char* kind, int operands, const char* rule, const char* traits, const char* doc) {
        const Ref row = own(Py_BuildValue("(ssisss)", name, kind, operands, rule, traits, doc));
        check(PyList_Append(list.get(), row.get()));
    };
#define MAP1(name, rule, meaning, partial, traits, doc) add(#name, "map", 1, #rule, #traits, doc);
#define MAP2(name, rule, meaning, partial_x, partial_y, traits, doc) add(#name, "map", 2, #rule, #traits, doc);
#include "fastnp/ops/map.def"
#define FOLD(name, combine, rule, identity, doc) add(#name, "fold", 1, #rule, #combine, doc);
#define ARGFOLD(name, better, doc) add(#name, "argfold", 1, "", #better, doc);
#define SCAN(name, combine, rule, doc) add(#name, "scan", 1, #rule, #combine, doc);
#include "fastnp/ops/fold.def"
#define ARRAY(name, kind, operands, doc) add(#name, #kind, operands, "", "", doc);
#include "fastnp/ops/array.def"
#define JOIN(name, combine, rule, identity, doc) add(#name, "fold", 1, #rule, #combine, doc);
#include "fastnp/ops/join.def"
    return list.release();
}

}  // namespace fastnp::python
