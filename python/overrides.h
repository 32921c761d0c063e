// Objects of others that decide themselves what NumPy's functions and operators do with them: subclasses of numpy.ndarray (masked arrays, matrices),
// Series, DataFrames, sparse matrices, quantities with units. What they meet is done by NumPy, which asks them.
#pragma once

#include "numpy_api.h"

namespace fastnp::python {

/// Whether it is of a type that takes no part in that: an array, a number, text, a type, a dtype. Lists and tuples aren't, for what may be in them.
inline bool is_known(PyObject* object) {
    PyTypeObject* const type = Py_TYPE(object);
    if (type == ndarray_type || type == &PyFloat_Type || type == &PyLong_Type || type == &PyArray_Type || type == &PyBool_Type) return true;
    return object == Py_None || type == &PyUnicode_Type || type == &PyComplex_Type || type == &PySlice_Type || PyType_Check(object);
}

/// Whether the object, or one in a list or a tuple, has a say: by NumPy's protocols, or by a method of that name, which NumPy's function calls in its
/// place.
bool overrides(PyObject* object, const char* method = nullptr);
inline bool any_overrides(PyObject* const* objects, Py_ssize_t count, const char* method = nullptr) {
    for (Py_ssize_t i = 0; i < count; ++i) {
        if (!is_known(objects[i]) && overrides(objects[i], method)) return true;
    }
    return false;
}
/// The number of arguments of a vectorcall, named ones included.
inline Py_ssize_t count_of(Py_ssize_t nargs, PyObject* kwnames) { return nargs + (kwnames == nullptr ? 0 : PyTuple_GET_SIZE(kwnames)); }

/// Whether an array leaves an operator to the other operand's reflected method, as NumPy decides it: `__array_ufunc__` is None, or `__array_priority__` is
/// positive without one.
bool leaves_operator_to(PyObject* other);
/// What an operator, by its ufunc's name, gives beside an object that is no operand of ours: NumPy's array takes the place of fastnp's. `in_place`: a op=
/// b.
PyObject* operate(const char* name, PyObject* a, PyObject* b, bool in_place = false);

/// fastnp._core._Function: a function of the package in Python that is NumPy's where an argument has a say.
void add_dispatched_function(PyObject* module);

}  // namespace fastnp::python
