// Slots and methods that the types of recorded numbers (_Size, _Float) share: what is done with the number of the call at hand.
#pragma once

#include "number.h"

namespace fastnp::python::number_slots {

inline bool is_number(PyObject* object) { return is_recorded_number(object) || PyLong_Check(object) || PyFloat_Check(object) || PyComplex_Check(object); }

template <class F>
PyObject* with_numbers(PyObject* a, PyObject* b, F compute) {
    if (!is_number(a) || !is_number(b)) return Py_NewRef(Py_NotImplemented);
    const Ref x = concrete_number(a), y = concrete_number(b);
    return check(compute(x.get(), y.get()));
}

template <PyObject* (*compute)(PyObject*, PyObject*)>
PyObject* plain(PyObject* a, PyObject* b) {
    return guarded([&] { return with_numbers(a, b, compute); });
}

template <PyObject* (*convert)(PyObject*)>
PyObject* converted(PyObject* a) {
    return guarded([&] { return check(convert(concrete_number(a).get())); });
}

inline PyObject* positive(PyObject* a) { return Py_NewRef(a); }

inline Py_hash_t hash(PyObject* a) {
    try {
        return PyObject_Hash(concrete_number(a).get());
    } catch (...) {  // whatever it is becomes Python's exception
        translate();
        return -1;
    }
}

inline PyObject* format(PyObject* self, PyObject* text) {
    return guarded([&] { return check(PyObject_Format(concrete_number(self).get(), text)); });
}

/// __array__: NumPy would make an array of objects of it.
inline PyObject* as_array(PyObject* self, PyObject* args, PyObject*) {
    return guarded([&] {
        PyObject *dtype = Py_None, *copy = Py_None;
        if (PyArg_ParseTuple(args, "|OO", &dtype, &copy) == 0) throw PythonError{};
        const Ref make = import_attribute("numpy", "asarray");
        return check(PyObject_CallFunctionObjArgs(make.get(), concrete_number(self).get(), dtype, nullptr));
    });
}

/// __array_ufunc__: beside a recorded array that knows better; else on what `convert` makes of each operand, told whether it is alone.
template <class F>
PyObject* as_ufunc_operand(PyObject* args, PyObject* keywords, F convert) {
    return guarded([&]() -> PyObject* {
        const Py_ssize_t count = PyTuple_GET_SIZE(args) - 2;
        for (Py_ssize_t i = 0; i < count; ++i) {
            if (is_ndarray(PyTuple_GET_ITEM(args, i + 2))) return Py_NewRef(Py_NotImplemented);
        }
        Ref operands = own(PyTuple_New(count));
        for (Py_ssize_t i = 0; i < count; ++i) PyTuple_SET_ITEM(operands.get(), i, convert(PyTuple_GET_ITEM(args, i + 2), count == 1).release());
        const Ref method = own(PyObject_GetAttr(PyTuple_GET_ITEM(args, 0), PyTuple_GET_ITEM(args, 1)));
        return check(PyObject_Call(method.get(), operands.get(), keywords));
    });
}

/// A method that takes keywords, as a method table has it.
inline PyCFunction with_keywords(PyObject* (*method)(PyObject*, PyObject*, PyObject*)) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(method));
}

}  // namespace fastnp::python::number_slots
