// fastnp.ufunc: one object for every elementwise op of the catalogue that NumPy has as a ufunc, with NumPy's calling conventions. What is about
// the op's kind is here once; loops that only NumPy has (objects, dates, long double) are NumPy's, on views.
#include "ufunc.h"
#include "as_method.h"

#include <structmember.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

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
using Fold = array (*)(const Operand&, const FoldOptions&);
using Scan = array (*)(const Operand&, const AxisOptions&);
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

struct Reduction {
    const char* name;
    Fold fold;
    Scan scan;
};
// Ufuncs whose reduce (and accumulate) are ops of their own.
constexpr Reduction reductions[] = {{"add", &sum_fold, &cumsum},     {"multiply", &prod_fold, &cumprod}, {"maximum", &max_fold, nullptr},
                                    {"minimum", &min_fold, nullptr}, {"logical_or", &any_fold, nullptr}, {"logical_and", &all_fold, nullptr}};

struct Ufunc {
    PyObject_HEAD vectorcallfunc call;
    const Row* row;
    const Reduction* reduction;
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
};

bool is_named(PyObject* name, const char* text) { return PyUnicode_CompareWithASCIIString(name, text) == 0; }

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
        parsed.options.dtype = to_dtype(value);
        parsed.plain = parsed.plain && !parsed.options.dtype;
    } else if (is_named(name, "casting")) {
        parsed.options.casting = to_casting(value);
        parsed.plain = false;
    } else if (is_named(name, "order")) {
        if (!is_named(value, "K") && !is_named(value, "C")) throw NeedsNumpy{};
    } else if (!is_named(name, "subok")) {
        throw NeedsNumpy{};  // signature=, or NumPy's words for what it does not know either
    }
}

Parsed parse(const Row& row, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    Parsed parsed;
    if (nargs < row.inputs() || nargs > row.inputs() + row.outputs()) {
        const std::string range = "from " + std::to_string(row.inputs()) + " to " + std::to_string(row.inputs() + row.outputs());
        raise(PyExc_TypeError, std::string(row.name) + "() takes " + range + " positional arguments but " + std::to_string(nargs) + " were given");
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

PyObject* run(const Row& row, Parsed& parsed) {
    if (row.outputs() == 2) {
        if (!parsed.plain || is_missing(parsed.outs[0]) != is_missing(parsed.outs[1])) throw NeedsNumpy{};
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
    return is_missing(parsed.outs[0]) ? wrap_scalar(std::move(result)) : Py_NewRef(parsed.outs[0]);
}

// The call without keywords that most are, or null.
PyObject* call_plain(const Row& row, PyObject* const* args) {
    if (row.one != nullptr && is_ndarray(args[0])) return wrap_scalar(row.one(value_of(args[0]), no_options));
    if (row.one != nullptr && is_recorded_float(args[0])) return wrap_scalar(row.one(float_value(args[0]), no_options));
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

PyObject* reduce_by_row(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    static const Signature signature("reduce", "array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True");
    try {
        const Reduction* reduction = reinterpret_cast<Ufunc*>(self)->reduction;
        if (reduction == nullptr || any_overrides(args, count_of(nargs, kwnames))) throw NeedsNumpy{};
        PyObject* v[Signature::most] = {};
        signature.bind(nullptr, args, nargs, kwnames, v);
        FoldOptions options;
        options.axis = v[1] == nullptr ? Axes(0) : to_axes(v[1]);
        options.dtype = to_dtype(v[2]);
        const bool logical = reduction->fold == &any_fold || reduction->fold == &all_fold;
        if (logical && options.dtype && options.dtype != Dtype::bool_) throw NeedsNumpy{};
        options.out = to_out(v[3]);
        options.keepdims = v[4] != nullptr && is_true(v[4]);
        if (v[5] == Py_None) throw NeedsNumpy{};  // initial=None: no identity
        const array elements = to_array(v[0]);
        if (!is_missing(v[5])) options.initial = to_initial(v[5], options.dtype.value_or(elements.dtype()));
        options.where = to_mask(v[6]);
        return finish(reduction->fold(elements, options), v[3]);
    } catch (const NeedsNumpy&) {
        return numpy_method(self, "reduce", args, nargs, kwnames);
    }
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
    try {
        const Reduction* reduction = reinterpret_cast<Ufunc*>(self)->reduction;
        if (reduction == nullptr || reduction->scan == nullptr || any_overrides(args, count_of(nargs, kwnames))) throw NeedsNumpy{};
        PyObject* v[Signature::most] = {};
        signature.bind(nullptr, args, nargs, kwnames, v);
        AxisOptions options;
        refuse_bool(v[1], "an integer is required for the axis");
        options.axis = v[1] == nullptr ? 0 : to_axis(v[1]);
        options.dtype = to_dtype(v[2]);
        options.out = to_out(v[3]);
        const array x = to_array(v[0]);
        if (x.ndim() == 0) throw NeedsNumpy{};
        return finish(reduction->scan(x, options), v[3]);
    } catch (const NeedsNumpy&) {
        return numpy_method(self, "accumulate", args, nargs, kwnames);
    }
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
        try {
            if (row.two == nullptr || nargs != 2 || kwnames != nullptr || any_overrides(args, nargs)) throw NeedsNumpy{};
            const array x = to_array(args[0]);
            const array y = to_array(args[1]);
            std::vector<Index> subscript{ellipsis};
            for (int i = 0; i < y.ndim(); ++i) subscript.emplace_back(newaxis);
            return watched(watch, [&] { return wrap_scalar(row.two(x.index(subscript), y, no_options)); });
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
        const bool is_ours = nargs > 1 && (records_with(args[0]) || (is_ndarray(args[0]) && detail::is_at_device(value_of(args[0]))));
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

// NumPy's loops over the dtypes that fastnp has.
Ref loops(PyObject* self) {
    const Ref all = own(PyObject_GetAttrString(numpy_ufunc(self).get(), "types"));
    Ref own_loops = own(PyList_New(0));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(all.get()); ++i) {
        const char* text = PyUnicode_AsUTF8(PyList_GET_ITEM(all.get(), i));
        if (std::strcspn(text, "gGOmMV") == std::strlen(text)) check(PyList_Append(own_loops.get(), PyList_GET_ITEM(all.get(), i)));
    }
    return own_loops;
}
PyObject* get_types(PyObject* self, void*) {
    return guarded([&] { return loops(self).release(); });
}
PyObject* get_ntypes(PyObject* self, void*) {
    return guarded([&] { return PyLong_FromSsize_t(PyList_GET_SIZE(loops(self).get())); });
}

PyObject* repr(PyObject* self) { return PyUnicode_FromFormat("<ufunc '%s'>", name_of(self)); }

PyMethodDef ufunc_methods[] = {{"reduce", as_method(reduce), METH_FASTCALL | METH_KEYWORDS, "Folds an axis (or several)."},
                               {"accumulate", as_method(accumulate), METH_FASTCALL | METH_KEYWORDS, "Folds an axis, keeping every partial result."},
                               {"outer", as_method(outer_product), METH_FASTCALL | METH_KEYWORDS, "Applies the function to every pair of elements."},
                               {"at", as_method(at), METH_FASTCALL | METH_KEYWORDS, "Applies the function in place at indices, repeated ones too."},
                               {"reduceat", as_method(reduceat), METH_FASTCALL | METH_KEYWORDS, "Folds slices of an axis."},
                               {"__reduce__", pickled, METH_NOARGS, nullptr},
                               {nullptr, nullptr, 0, nullptr}};

PyGetSetDef ufunc_properties[] = {{"nin", get_nin, nullptr, "The number of inputs.", nullptr},
                                  {"nout", get_nout, nullptr, "The number of outputs.", nullptr},
                                  {"nargs", get_nargs, nullptr, "The number of inputs and outputs.", nullptr},
                                  {"types", get_types, nullptr, "The loops, as NumPy writes them.", nullptr},
                                  {"ntypes", get_ntypes, nullptr, "The number of loops.", nullptr},
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
    for (const Reduction& reduction : reductions) {
        if (std::strcmp(reduction.name, row.name) == 0) ufunc->reduction = &reduction;
    }
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
    return list.release();
}

}  // namespace fastnp::python
