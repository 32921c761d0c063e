#include "number.h"

#include <optional>
#include <string_view>

#include "convert.h"
#include "fastnp/detail/size.h"
#include "fastnp/detail/weak.h"
#include "number_slots.h"
#include "size.h"

namespace fastnp::python {

PyTypeObject* float_type = nullptr;

namespace {

constexpr std::int64_t most_exact = std::int64_t{1} << 53;  // ints up to there are float64

struct FloatObject {
    PyObject_HEAD array value;
};

Ref number_of(PyObject* object) {
    if (!is_recorded_float(object)) return Ref::borrow(object);
    return own(PyFloat_FromDouble(float_value(object).item<double>()));
}

// The float64 that a number counts as beside a float; nothing for other objects, and for ints that no float64 is.
std::optional<array> operand(PyObject* object) {
    if (is_recorded_float(object)) return float_value(object);
    if (is_size(object)) {
        const std::int64_t size = size_of(object);
        if (!detail::size_at_least(most_exact, size) || !detail::size_at_least(size, -most_exact)) return std::nullopt;
        return detail::size_value(size).astype(Dtype::float64);
    }
    if (PyFloat_CheckExact(object)) return array(PyFloat_AS_DOUBLE(object));
    if (!PyLong_CheckExact(object) && !PyBool_Check(object)) return std::nullopt;
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow != 0 || value > most_exact || value < -most_exact) return std::nullopt;
    return array(static_cast<double>(value));
}

template <BinaryUfunc function, PyObject* (*otherwise)(PyObject*, PyObject*)>
PyObject* binary(PyObject* a, PyObject* b) {
    return guarded([&]() -> PyObject* {
        const bool floats = is_recorded_float(a) || is_recorded_float(b) || PyFloat_CheckExact(a) || PyFloat_CheckExact(b);
        const std::optional<array> x = floats ? operand(a) : std::nullopt, y = floats ? operand(b) : std::nullopt;
        if (!x || !y) return number_slots::with_numbers(a, b, otherwise);
        return float_object(function(*x, *y, {}));
    });
}

// What Python's own function gives, at each call.
PyObject* by_call(const char* name, PyObject* a, PyObject* b) {
    return guarded([&]() -> PyObject* {
        if (!number_slots::is_number(a) || !number_slots::is_number(b)) return Py_NewRef(Py_NotImplemented);
        const Ref call = import_attribute("fastnp._outside", "call_operator");
        return check(PyObject_CallFunction(call.get(), "sOO", name, a, b));
    });
}
PyObject* floor_divide_of(PyObject* a, PyObject* b) { return by_call("floordiv", a, b); }
PyObject* remainder_of(PyObject* a, PyObject* b) { return by_call("mod", a, b); }

PyObject* opposite(PyObject* a) {
    return guarded([&] { return float_object(negative(float_value(a))); });
}
PyObject* absolute_of(PyObject* a) {
    return guarded([&] { return float_object(absolute(float_value(a))); });
}

int truth(PyObject* a) {
    return guarded_int([&] { return not_equal(float_value(a), 0).item<bool>() ? 1 : 0; });
}

PyObject* compare(PyObject* a, PyObject* b, int how) {
    return guarded([&]() -> PyObject* {
        static constexpr BinaryUfunc functions[] = {&less, &less_equal, &equal, &not_equal, &greater, &greater_equal};  // as Py_LT ... are numbered
        const std::optional<array> y = operand(b);
        if (!y) {
            if (!number_slots::is_number(b)) return Py_NewRef(Py_NotImplemented);
            return check(PyObject_RichCompare(number_of(a).get(), number_of(b).get(), how));
        }
        return PyBool_FromLong(functions[how](float_value(a), *y, {}).item<bool>());
    });
}

// Methods and properties of floats: of the one at hand.
PyObject* attribute(PyObject* self, PyObject* name) {
    if (PyObject* found = PyObject_GenericGetAttr(self, name)) return found;
    if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) return nullptr;
    PyErr_Clear();
    return guarded([&] { return check(PyObject_GetAttr(number_of(self).get(), name)); });
}

// NumPy's ufuncs: as the same of fastnp, on a float64 for a float alone.
PyObject* as_ufunc_operand(PyObject*, PyObject* args, PyObject* keywords) {
    return number_slots::as_ufunc_operand(
        args, keywords, [](PyObject* operand, bool alone) { return alone ? own(wrap(float_value(operand), nullptr, true)) : concrete_number(operand); });
}

void deallocate(PyObject* self) {
    std::destroy_at(&reinterpret_cast<FloatObject*>(self)->value);
    PyTypeObject* type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

PyObject* rounded(PyObject* self, PyObject* args) {
    return guarded([&] {
        const Ref call = import_attribute("fastnp._outside", "call_round");
        const Ref all = own(PySequence_Concat(own(PyTuple_Pack(1, self)).get(), args));
        return check(PyObject_Call(call.get(), all.get(), nullptr));
    });
}

PyMethodDef methods[] = {{"__round__", rounded, METH_VARARGS, nullptr},
                         {"__array__", number_slots::with_keywords(number_slots::as_array), METH_VARARGS | METH_KEYWORDS, nullptr},
                         {"__array_ufunc__", number_slots::with_keywords(as_ufunc_operand), METH_VARARGS | METH_KEYWORDS, nullptr},
                         {"__format__", number_slots::format, METH_O, nullptr},
                         {nullptr, nullptr, 0, nullptr}};

// A float as an array beside another operand.
bool floats_as_arrays(std::string_view ufunc, PyObject* const* operands, std::vector<Ref>& made) {
    const int which = is_recorded_float(operands[0]) ? 0 : 1;
    // NumPy has cheaper ways for some exponents.
    if (ufunc == "power" && which == 1) return false;
    PyObject* other = operands[1 - which];
    if (!is_ndarray(other)) return false;
    const Dtype dtype = detail::loop_dtype_of_float(ufunc, which, value_of(other));
    made = {Ref::borrow(other), Ref::borrow(other)};
    made[static_cast<std::size_t>(which)] = own(wrap(float_value(operands[which]).astype(dtype)));
    return true;
}

}  // namespace

PyObject* add_floats(PyObject* a, PyObject* b) { return binary<&fastnp::add, PyNumber_Add>(a, b); }
PyObject* subtract_floats(PyObject* a, PyObject* b) { return binary<&fastnp::subtract, PyNumber_Subtract>(a, b); }
PyObject* multiply_floats(PyObject* a, PyObject* b) { return binary<&fastnp::multiply, PyNumber_Multiply>(a, b); }

// A division by zero is for Python to raise.
PyObject* divide_floats(PyObject* a, PyObject* b) {
    return guarded([&]() -> PyObject* {
        const std::optional<array> x = operand(a), y = operand(b);
        if (!x || !y || (is_size(b) ? detail::sizes_equal(size_of(b), 0) : equal(*y, 0).item<bool>()))
            return number_slots::with_numbers(a, b, PyNumber_TrueDivide);
        return float_object(divide(*x, *y));
    });
}

PyObject* power_of_numbers(PyObject* a, PyObject* b, PyObject* modulo) {
    if (modulo == Py_None) return by_call("pow", a, b);
    return guarded([&] {
        const Ref remainder_by = is_recorded_number(modulo) ? concrete_number(modulo) : Ref::borrow(modulo);  // else this is its own operator
        return number_slots::with_numbers(a, b, [&](PyObject* x, PyObject* y) { return PyNumber_Power(x, y, remainder_by.get()); });
    });
}

PyObject* float_object(array value) {
    auto* object = reinterpret_cast<FloatObject*>(check(float_type->tp_alloc(float_type, 0)));
    new (&object->value) array(std::move(value));
    return reinterpret_cast<PyObject*>(object);
}

const array& float_value(PyObject* object) { return reinterpret_cast<FloatObject*>(object)->value; }

Ref concrete_number(PyObject* object) { return is_size(object) ? concrete_size(object) : number_of(object); }

bool is_recorded_number(PyObject* object) { return is_recorded_float(object) || is_size(object); }

bool numbers_as_arrays(const char* ufunc, PyObject* const* operands, std::vector<Ref>& made) {
    if (is_recorded_float(operands[0]) || is_recorded_float(operands[1])) return floats_as_arrays(ufunc, operands, made);
    return sizes_as_arrays(ufunc, operands, made);
}

void add_float(PyObject* module) {
#define SLOT(name, function) {name, reinterpret_cast<void*>(function)}
    PyType_Slot slots[] = {SLOT(Py_nb_add, add_floats),
                           SLOT(Py_nb_subtract, subtract_floats),
                           SLOT(Py_nb_multiply, multiply_floats),
                           SLOT(Py_nb_true_divide, divide_floats),
                           SLOT(Py_nb_floor_divide, floor_divide_of),
                           SLOT(Py_nb_remainder, remainder_of),
                           SLOT(Py_nb_divmod, number_slots::plain<PyNumber_Divmod>),
                           SLOT(Py_nb_power, power_of_numbers),
                           SLOT(Py_nb_negative, opposite),
                           SLOT(Py_nb_positive, number_slots::positive),
                           SLOT(Py_nb_absolute, absolute_of),
                           SLOT(Py_nb_int, number_slots::converted<PyNumber_Long>),
                           SLOT(Py_nb_float, number_slots::converted<PyNumber_Float>),
                           SLOT(Py_nb_bool, truth),
                           SLOT(Py_tp_hash, number_slots::hash),
                           SLOT(Py_tp_richcompare, compare),
                           SLOT(Py_tp_repr, number_slots::converted<PyObject_Repr>),
                           SLOT(Py_tp_str, number_slots::converted<PyObject_Str>),
                           SLOT(Py_tp_getattro, attribute),
                           SLOT(Py_tp_dealloc, deallocate),
                           {Py_tp_methods, methods},
                           {0, nullptr}};
#undef SLOT
    PyType_Spec spec = {"fastnp._core._Float", sizeof(FloatObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    float_type = add_type(module, "_Float", spec);
}

}  // namespace fastnp::python
