#include "draw_values.h"

#include <algorithm>

#include "compat.h"

namespace fastnp::python {

bool has_elements(PyObject* object) { return is_ndarray(object) || PyArray_Check(object) || PyList_Check(object) || PyTuple_Check(object); }

std::optional<Shape> wanted_size(PyObject* object) {
    if (is_missing(object)) return std::nullopt;
    if (PyBool_Check(object)) throw NeedsNumpy{};
    return to_shape(object);
}

double real_of(PyObject* object) {
    if (PyFloat_CheckExact(object)) return PyFloat_AS_DOUBLE(object);
    if (!PyLong_CheckExact(object)) throw NeedsNumpy{};
    const double value = PyLong_AsDouble(object);
    if (value == -1 && PyErr_Occurred() != nullptr) throw PythonError{};
    return value;
}

// A parameter: a number, or an array.
Operand parameter_of(PyObject* object) {
    if (PyFloat_CheckExact(object)) return PyFloat_AS_DOUBLE(object);
    if (PyLong_CheckExact(object)) return to_scalar(object);
    if (!has_elements(object) && !PyArray_IsScalar(object, Number)) throw NeedsNumpy{};
    array x = to_array(object);
    if (x.size() == 0) throw NeedsNumpy{};  // which looks at the others nevertheless
    return x;
}

bool is_pythons_number(PyObject* object) { return PyFloat_CheckExact(object) || PyLong_CheckExact(object); }

// What was drawn: a number of Python's where no size was asked for, and no parameter has axes.
PyObject* drawn(const array& made, const std::optional<Shape>& size) { return made.ndim() == 0 && !size ? read_element(made) : wrap(made); }

// Chances and the like: lists of numbers or an array, with one axis.
array chances_of(PyObject* object) {
    if (!has_elements(object)) throw NeedsNumpy{};
    array x = to_array(object);
    if (x.ndim() != 1 || is_complex(x.dtype())) throw NeedsNumpy{};
    return x;
}
bool has_array_elsewhere(PyObject* const* args, Py_ssize_t count) {
    for (Py_ssize_t i = 0; i < count; ++i) {
        if (is_ndarray(args[i]) && (reinterpret_cast<NdArray*>(args[i])->taped != nullptr || compat::is_elsewhere(value_of(args[i])))) return true;
    }
    return false;
}

// Whether an argument may ask for many numbers, or have many.
bool may_be_many(PyObject* object) {
    constexpr long many = 128;
    if (PyLong_CheckExact(object)) {
        int overflow = 0;
        return PyLong_AsLongAndOverflow(object, &overflow) >= many || overflow != 0;
    }
    if (is_ndarray(object)) return value_of(object).size() >= many;
    if (PyArray_Check(object)) return PyArray_SIZE(as_numpy(object)) >= many;
    if (!PyTuple_CheckExact(object) && !PyList_CheckExact(object)) return false;
    double count = 1;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
        PyObject* const item = PySequence_Fast_GET_ITEM(object, i);
        count *= PyLong_CheckExact(item) ? PyLong_AsDouble(item) : 1;
    }
    PyErr_Clear();
    return count >= many || PySequence_Fast_GET_SIZE(object) >= many;
}

}  // namespace fastnp::python
