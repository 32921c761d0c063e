// The type fastnp.ndarray: its life, its operators and comparisons, and how it turns into plain numbers and text.
#include "ndarray.h"
#include "array_class.h"
#include "elements.h"
#include "float_errors.h"
#include "functions.h"
#include "lent.h"
#include "number.h"
#include "overrides.h"
#include "size.h"
#include "tape.h"

#include <structmember.h>

#include <cstddef>
#include <vector>

namespace fastnp::python {

PyTypeObject* ndarray_type = nullptr;

namespace {

using Function1 = array (*)(const Operand&, const UfuncOptions&);

const UfuncOptions no_options;

bool are_operands(PyObject* a, PyObject* b) { return is_operand(a) && is_operand(b); }

PyObject* numpy_operator(const char* name, PyObject* a, PyObject* b) {
    PyObject* args[] = {a, b};
    return call_numpy(name, args, 2, nullptr);
}

// Comparisons by the operator: NumPy's gives an answer where its ufunc has no loop (text).
PyObject* numpy_comparison(const char* name, PyObject* a, PyObject* b) {
    const Ref function = import_attribute("fastnp._fallback", "compare");
    return check(PyObject_CallFunction(function.get(), "sOO", name, a, b));
}

template <PyObject* (*by_numpy)(const char*, PyObject*, PyObject*) = numpy_operator>
PyObject* binary_slow(BinaryUfunc function, const char* name, PyObject* a, PyObject* b) {
    if (!are_operands(a, b)) return operate(name, a, b);
    std::vector<Ref> sized;
    PyObject* operands[] = {a, b};
    if ((is_recorded_number(a) || is_recorded_number(b)) && numbers_as_arrays(name, operands, sized)) {
        return wrap_scalar(function(value_of(sized[0].get()), value_of(sized[1].get()), no_options));
    }
    try {
        return wrap_scalar(function(to_operand(a), to_operand(b), no_options));
    } catch (const NeedsNumpy&) {
        return by_numpy(name, a, b);
    }
}

template <BinaryUfunc function>
PyObject* binary(const char* name, PyObject* a, PyObject* b) {
    return guarded([&] {
        PyObject* const args[] = {a, b};
        return watched({name, args, 2, nullptr, true}, [&] {
            if (is_ndarray(a) && is_ndarray(b)) return wrap_scalar(function(value_of(a), value_of(b), no_options));
            return binary_slow(function, name, a, b);
        });
    });
}

PyObject* watched_unary(Function1 function, const char* name, PyObject* a) {
    return watched({name, &a, 1, nullptr, true}, [&] { return wrap_scalar(function(value_of(a), no_options)); });
}

template <Function1 function>
PyObject* unary(PyObject* a) {
    return guarded([&] { return wrap_scalar(function(value_of(a), no_options)); });
}

PyObject* nb_absolute(PyObject* a) {
    return guarded([&] { return watched_unary(&fastnp::absolute, "absolute", a); });
}

// a op= b, written into a.
PyObject* in_place_slow(BinaryUfunc function, const char* name, PyObject* a, PyObject* b) {
    if (!is_operand(b)) return operate(name, a, b, true);
    try {
        UfuncOptions options;
        options.out = value_of(a);
        std::vector<Ref> sized;
        PyObject* operands[] = {a, b};
        const bool is_sized = is_recorded_number(b) && numbers_as_arrays(name, operands, sized);
        const array result = function(value_of(a), is_sized ? Operand(value_of(sized[1].get())) : to_operand(b), options);
        // A 0-d array that stood for a NumPy scalar is no memory to write into: the name gets the result.
        if (reinterpret_cast<NdArray*>(a)->scalar) return wrap_scalar(result);
        return Py_NewRef(a);
    } catch (const NeedsNumpy&) {
        const Ref view = own(readable_view(a, name));
        const Ref other = is_ndarray(b) ? own(readable_view(b, name)) : Ref::borrow(b);
        const Ref ufunc = import_attribute("numpy", name);
        const Ref done = own(PyObject_CallFunctionObjArgs(ufunc.get(), view.get(), other.get(), view.get(), nullptr));
        return Py_NewRef(a);
    }
}

template <BinaryUfunc function>
PyObject* in_place(const char* name, PyObject* a, PyObject* b) {
    return guarded([&]() -> PyObject* {
        if (reinterpret_cast<NdArray*>(a)->scalar) return binary<function>(name, a, b);  // as a NumPy scalar: a new value
        if (is_ndarray(b)) (void)value_of(b);  // which may be on the tape
        prepare_write(a);
        PyObject* const args[] = {a, b, a};
        FloatWatch watch(name, args, 3);
        watch.set_outputs(2);
        watch.keep_overwritten();
        return watched(watch, [&] { return in_place_slow(function, name, a, b); });
    });
}

#define FASTNP_BINARY(slot, name)                                                           \
    PyObject* slot(PyObject* a, PyObject* b) { return binary<&fastnp::name>(#name, a, b); } \
    PyObject* in_place_##slot(PyObject* a, PyObject* b) { return in_place<&fastnp::name>(#name, a, b); }
FASTNP_BINARY(nb_add, add)
FASTNP_BINARY(nb_subtract, subtract)
FASTNP_BINARY(nb_true_divide, divide)
FASTNP_BINARY(nb_floor_divide, floor_divide)
FASTNP_BINARY(nb_remainder, remainder)
FASTNP_BINARY(nb_lshift, left_shift)
FASTNP_BINARY(nb_rshift, right_shift)
FASTNP_BINARY(nb_and, bitwise_and)
FASTNP_BINARY(nb_or, bitwise_or)
FASTNP_BINARY(nb_xor, bitwise_xor)
#undef FASTNP_BINARY

// A list or a tuple times what stands for a NumPy scalar, which has it repeat by its __index__.
bool is_repeat(PyObject* a, PyObject* b) {
    const auto is_scalar = [](PyObject* object) { return is_ndarray(object) && reinterpret_cast<NdArray*>(object)->scalar; };
    const auto is_sequence = [](PyObject* object) { return PyList_Check(object) || PyTuple_Check(object); };
    return (is_scalar(a) && is_sequence(b)) || (is_sequence(a) && is_scalar(b));
}

PyObject* nb_multiply(PyObject* a, PyObject* b) { return is_repeat(a, b) ? Py_NewRef(Py_NotImplemented) : binary<&fastnp::multiply>("multiply", a, b); }
PyObject* in_place_nb_multiply(PyObject* a, PyObject* b) {
    return is_repeat(a, b) ? Py_NewRef(Py_NotImplemented) : in_place<&fastnp::multiply>("multiply", a, b);
}

struct Cheaper {
    Function1 function = nullptr;
    const char* name = nullptr;
    explicit operator bool() const { return function != nullptr; }
};

// NumPy computes x ** 2, x ** -1 and x ** 0.5 by other ufuncs, whose results differ in the last place and at signed zeros, and which differ for bools.
Cheaper cheaper_power(PyObject* a, PyObject* b) {
    if (!is_ndarray(a)) return {};
    const array& x = value_of(a);
    if (PyFloat_CheckExact(b)) {
        const bool is_root = is_inexact(x.dtype()) && PyFloat_AS_DOUBLE(b) == 0.5;
        return is_root ? Cheaper{&fastnp::sqrt, "sqrt"} : Cheaper();
    }
    if (!PyLong_CheckExact(b)) return {};
    int overflow = 0;
    const long exponent = PyLong_AsLongAndOverflow(b, &overflow);
    if (overflow == 0 && exponent == -1 && is_inexact(x.dtype())) return {&fastnp::reciprocal, "reciprocal"};
    const bool is_flag = x.dtype() == Dtype::bool_ && reinterpret_cast<NdArray*>(a)->scalar;  // whose power is an integer, as numpy.power's
    return overflow == 0 && exponent == 2 && !is_flag ? Cheaper{&fastnp::square, "square"} : Cheaper();
}

PyObject* nb_power(PyObject* a, PyObject* b, PyObject* modulo) {
    if (modulo != Py_None) return Py_NewRef(Py_NotImplemented);
    return guarded([&]() -> PyObject* {
        const Ref exponent = is_ndarray(a) ? concrete_number(b) : Ref::borrow(b);
        if (const Cheaper cheaper = cheaper_power(a, exponent.get())) return watched_unary(cheaper.function, cheaper.name, a);
        return binary<&fastnp::power>("power", a, exponent.get());
    });
}

PyObject* in_place_nb_power(PyObject* a, PyObject* b, PyObject*) {
    return guarded([&]() -> PyObject* {
        if (reinterpret_cast<NdArray*>(a)->scalar) return nb_power(a, b, Py_None);  // as a NumPy scalar: a new value
        const Cheaper cheaper = cheaper_power(a, b);
        if (!cheaper) return in_place<&fastnp::power>("power", a, b);
        prepare_write(a);
        PyObject* const args[] = {a, a};
        FloatWatch watch(cheaper.name, args, 2);
        watch.set_outputs(1);
        watch.keep_overwritten();
        return watched(watch, [&] {
            UfuncOptions options;
            options.out = value_of(a);
            cheaper.function(value_of(a), options);
            return Py_NewRef(a);
        });
    });
}

PyObject* nb_divmod(PyObject* a, PyObject* b) {
    return guarded([&]() -> PyObject* {
        if (!are_operands(a, b)) return operate("divmod", a, b);
        PyObject* const args[] = {a, b};
        return watched({"divmod", args, 2, nullptr, true}, [&] {
            try {
                std::pair<array, array> both = divmod(to_operand(a), to_operand(b));
                const Ref quotient = own(wrap_scalar(std::move(both.first)));
                const Ref rest = own(wrap_scalar(std::move(both.second)));
                return check(PyTuple_Pack(2, quotient.get(), rest.get()));
            } catch (const NeedsNumpy&) {
                return numpy_operator("divmod", a, b);
            }
        });
    });
}

PyObject* nb_matmul(PyObject* a, PyObject* b) {
    return guarded([&]() -> PyObject* {
        if (!are_operands(a, b)) return operate("matmul", a, b);
        PyObject* const args[] = {a, b};
        return watched({"matmul", args, 2, nullptr, true}, [&] {
            try {
                return wrap_scalar(matmul(to_array(a), to_array(b)));
            } catch (const NeedsNumpy&) {
                return numpy_operator("matmul", a, b);
            }
        });
    });
}

PyObject* in_place_nb_matmul(PyObject* a, PyObject* b) {
    return guarded([&]() -> PyObject* {
        if (!is_operand(b)) return operate("matmul", a, b, true);
        PyObject* const args[] = {a, b};
        const FloatWatch watch("matmul", args, 2);
        array factor;
        try {
            factor = to_array(b);
        } catch (const NeedsNumpy&) {
            return operate("matmul", a, b, true);
        }
        if (value_of(a).ndim() == 0 || factor.ndim() < 2) {
            if (!records()) return operate("matmul", a, b, true);  // it may find something else wrong first
            throw ValueError("inplace matrix multiplication requires the first operand to have at least one and the second at least two dimensions.");
        }
        // Matrices of another size are not spread over those of `a`; NumPy says so.
        if (!records() && factor.shape(-1) != value_of(a).shape(-1)) return operate("matmul", a, b, true);
        const array result = matmul(value_of(a), factor);
        const auto store = [&] {
            UfuncOptions options;
            options.out = value_of(a);
            if (result.dtype() == Dtype::bool_) logical_or(result, result, options);
            else positive(result, options);
        };
        try {
            watch.look();
        } catch (const PythonError&) {
            store();
            throw;
        }
        store();
        return Py_NewRef(a);
    });
}

// The only element as a NumPy scalar: what bool(), int() and the like read.
Ref only_element(PyObject* self, const char* what) {
    const array& value = value_of(self);
    if ((recording != nullptr || value.is_recorded()) && value.ndim() == 0) return own(read_element(undifferentiated(value)));
    if (value.size() != 1) raise(PyExc_TypeError, "only length-1 arrays can be converted to Python scalars");
    return own(numpy_scalar(readable(value, what)));
}

int nb_bool(PyObject* self) {
    return guarded_int([&] { return static_cast<bool>(value_of(self)) ? 1 : 0; });
}
// int(), float() and complex() of arrays with an axis: through NumPy, which knows its words and warnings for them.
template <class F>
PyObject* number(PyObject* self, const char* what, F&& convert) {
    return guarded([&] {
        const array& value = value_of(self);
        if ((recording != nullptr || value.is_recorded()) && value.ndim() == 0) return check(convert(own(read_element(undifferentiated(value))).get()));
        if (value.ndim() == 0) return check(convert(own(numpy_scalar(readable(value, what))).get()));
        return check(convert(own(readable_view(self, what)).get()));
    });
}
PyObject* nb_int(PyObject* self) {
    return number(self, "int()", [](PyObject* x) { return PyNumber_Long(x); });
}
PyObject* nb_float(PyObject* self) {
    const TapeCall call;
    try {
        if (PyObject* found = quick_float(self)) return found;
        keep_number(self, "float()");
    } catch (...) {  // whatever it is becomes an exception of Python
        translate();
        return nullptr;
    }
    return number(self, "float()", [](PyObject* x) { return PyNumber_Float(x); });
}
PyObject* nb_index(PyObject* self) {
    return guarded([&] {
        if (value_of(self).ndim() != 0 || !is_integer(value_of(self).dtype()))
            raise(PyExc_TypeError, "only integer scalar arrays can be converted to a scalar index");
        return check(PyNumber_Index(only_element(self, "an index").get()));
    });
}

template <BinaryUfunc function>
PyObject* compare(const char* name, PyObject* a, PyObject* b) {
    PyObject* const args[] = {a, b};
    return watched({name, args, 2, nullptr, true}, [&] {
        if (is_ndarray(b)) return wrap_scalar(function(value_of(a), value_of(b), no_options));
        if (b == Py_None || PyUnicode_Check(b)) return numpy_comparison(name, a, b);
        return binary_slow<numpy_comparison>(function, name, a, b);
    });
}

PyObject* richcompare(PyObject* a, PyObject* b, int operation) {
    return guarded([&]() -> PyObject* {
        switch (operation) {
            case Py_EQ: return compare<&fastnp::equal>("equal", a, b);
            case Py_NE: return compare<&fastnp::not_equal>("not_equal", a, b);
            case Py_LT: return compare<&fastnp::less>("less", a, b);
            case Py_LE: return compare<&fastnp::less_equal>("less_equal", a, b);
            case Py_GT: return compare<&fastnp::greater>("greater", a, b);
            default: return compare<&fastnp::greater_equal>("greater_equal", a, b);
        }
    });
}

Py_ssize_t length(PyObject* self) {
    Py_ssize_t size = -1;
    const int status = guarded_int([&]() -> int {
        if (value_of(self).ndim() == 0) raise(PyExc_TypeError, "len() of unsized object");
        size = static_cast<Py_ssize_t>(value_of(self).shape(0));
        return 0;
    });
    return status < 0 ? -1 : size;
}

PyObject* iterate(PyObject* self) {
    return guarded([&] {
        if (value_of(self).ndim() == 0) raise(PyExc_TypeError, "iteration over a 0-d array");
        return check(PySeqIter_New(self));
    });
}

// As numpy.ndarray: of what the comparison gives, by whomever it is, as an array.
Ref any_equal(PyObject* self, PyObject* element) {
    const Ref found = own(PyObject_RichCompare(self, element, Py_EQ));
    if (is_ndarray(found.get())) return own(wrap_scalar(any(value_of(found.get()))));
    const Ref made = own(PyArray_EnsureAnyArray(Py_NewRef(found.get())));
    return own(PyArray_Any(as_numpy(made.get()), NPY_RAVEL_AXIS, nullptr));
}

int contains(PyObject* self, PyObject* element) {
    return guarded_int([&] {
        if (!is_ndarray(element) && !is_recorded_number(element)) return is_true(any_equal(self, element).get()) ? 1 : 0;
        const array found = any(equal(value_of(self), to_operand(element)));
        return static_cast<bool>(found) ? 1 : 0;
    });
}

PyObject* text(PyObject* self, const char* what, PyObject* (*convert)(PyObject*)) {
    return guarded([&] { return check(convert(own(readable_copy(self, what)).get())); });
}
PyObject* repr(PyObject* self) { return text(self, "repr()", PyObject_Repr); }
PyObject* str(PyObject* self) { return text(self, "str()", PyObject_Str); }

void deallocate(PyObject* self) {
    auto* object = reinterpret_cast<NdArray*>(self);
    if (object->weakrefs != nullptr) PyObject_ClearWeakRefs(self);
    if (object->counts_base) uncount_reference(object->base);
    object->value.~array();
    delete object->taped;
    Py_XDECREF(object->base);
    PyTypeObject* type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

// ndarray(shape, dtype=float, buffer=None, offset=0, strides=None, order=None), as numpy.ndarray.
PyObject* create(PyTypeObject*, PyObject* args, PyObject* keywords) {
    return guarded([&] {
        const Ref type = import_attribute("numpy", "ndarray");
        const Ref made = own(PyObject_Call(type.get(), args, keywords));
        if (!shares_memory(as_numpy(made.get()))) return Py_NewRef(made.get());  // of a dtype that only NumPy has, or not aligned
        return wrap(from_numpy(as_numpy(made.get())));
    });
}

PyMemberDef members[] = {{"__weaklistoffset__", T_PYSSIZET, offsetof(NdArray, weakrefs), READONLY, nullptr}, {nullptr, 0, 0, 0, nullptr}};

}  // namespace

void add_ndarray(PyObject* module) {
    static std::vector<PyMethodDef> all_methods;
    document(methods, "ndarray");
    for (PyMethodDef* table : {function_methods(), methods, scalar_methods, protocol_methods}) {
        for (PyMethodDef* row = table; row->ml_name != nullptr; ++row) all_methods.push_back(*row);
    }
    all_methods.push_back({nullptr, nullptr, 0, nullptr});
#define SLOT(name, function) {name, reinterpret_cast<void*>(function)}
    PyType_Slot slots[] = {SLOT(Py_tp_dealloc, deallocate),
                           SLOT(Py_tp_new, create),
                           SLOT(Py_tp_repr, repr),
                           SLOT(Py_tp_str, str),
                           SLOT(Py_tp_iter, iterate),
                           SLOT(Py_tp_richcompare, richcompare),
                           SLOT(Py_tp_hash, hash),
                           SLOT(Py_tp_getattro, get_attribute),
                           {Py_tp_members, members},
                           {Py_tp_methods, all_methods.data()},
                           {Py_tp_getset, properties},
                           {Py_tp_doc, const_cast<char*>(documented("ndarray", ""))},
                           SLOT(Py_bf_getbuffer, get_buffer),
                           SLOT(Py_bf_releasebuffer, release_buffer),
                           SLOT(Py_mp_length, length),
                           SLOT(Py_mp_subscript, get_item),
                           SLOT(Py_mp_ass_subscript, set_item),
                           SLOT(Py_sq_length, length),
                           SLOT(Py_sq_item, sequence_item),
                           SLOT(Py_sq_contains, contains),
                           SLOT(Py_nb_add, nb_add),
                           SLOT(Py_nb_subtract, nb_subtract),
                           SLOT(Py_nb_multiply, nb_multiply),
                           SLOT(Py_nb_true_divide, nb_true_divide),
                           SLOT(Py_nb_floor_divide, nb_floor_divide),
                           SLOT(Py_nb_remainder, nb_remainder),
                           SLOT(Py_nb_divmod, nb_divmod),
                           SLOT(Py_nb_power, nb_power),
                           SLOT(Py_nb_lshift, nb_lshift),
                           SLOT(Py_nb_rshift, nb_rshift),
                           SLOT(Py_nb_and, nb_and),
                           SLOT(Py_nb_or, nb_or),
                           SLOT(Py_nb_xor, nb_xor),
                           SLOT(Py_nb_matrix_multiply, nb_matmul),
                           SLOT(Py_nb_negative, unary<&fastnp::negative>),
                           SLOT(Py_nb_positive, unary<&fastnp::positive>),
                           SLOT(Py_nb_absolute, nb_absolute),
                           SLOT(Py_nb_invert, unary<&fastnp::invert>),
                           SLOT(Py_nb_bool, nb_bool),
                           SLOT(Py_nb_int, nb_int),
                           SLOT(Py_nb_float, nb_float),
                           SLOT(Py_nb_index, nb_index),
                           SLOT(Py_nb_inplace_add, in_place_nb_add),
                           SLOT(Py_nb_inplace_subtract, in_place_nb_subtract),
                           SLOT(Py_nb_inplace_multiply, in_place_nb_multiply),
                           SLOT(Py_nb_inplace_true_divide, in_place_nb_true_divide),
                           SLOT(Py_nb_inplace_floor_divide, in_place_nb_floor_divide),
                           SLOT(Py_nb_inplace_remainder, in_place_nb_remainder),
                           SLOT(Py_nb_inplace_power, in_place_nb_power),
                           SLOT(Py_nb_inplace_lshift, in_place_nb_lshift),
                           SLOT(Py_nb_inplace_rshift, in_place_nb_rshift),
                           SLOT(Py_nb_inplace_and, in_place_nb_and),
                           SLOT(Py_nb_inplace_or, in_place_nb_or),
                           SLOT(Py_nb_inplace_xor, in_place_nb_xor),
                           SLOT(Py_nb_inplace_matrix_multiply, in_place_nb_matmul),
                           {0, nullptr}};
#undef SLOT
    PyType_Spec spec = {"fastnp.ndarray", sizeof(NdArray), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, slots};
    ndarray_type = add_type(module, "ndarray", spec);
    make_derivable(module, ndarray_type);
}

}  // namespace fastnp::python
