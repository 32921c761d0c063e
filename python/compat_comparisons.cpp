// Bodies of compat_comparisons.def.
#include "compat.h"
#include "fastnp/detail/memory.h"
#include "fastnp/numpy_compat/comparisons.h"
#include "number.h"
#include "size.h"

namespace fastnp::python {

namespace {

// NumPy tells of tolerances that are not finite.
void check_finite(PyObject* tolerance) {
    if (tolerance == nullptr || is_recorded_number(tolerance)) return;
    const Operand value = to_operand(tolerance);
    if (const array* given = value.as_array(); given != nullptr && (given->is_recorded() || records())) return;
    if (!static_cast<bool>(all(isfinite(value)))) throw NeedsNumpy{};
}

// What an array can be made of; nothing where NumPy's answer is that nothing equals it.
std::optional<array> comparable(PyObject* object) {
    try {
        return to_array(object);
    } catch (const PythonError&) {
        if (PyErr_ExceptionMatches(PyExc_Exception) == 0 || PyErr_ExceptionMatches(record_error) != 0) throw;
        PyErr_Clear();
        return std::nullopt;
    }
}

bool is_python_number(PyObject* object) {
    return !PyArray_IsScalar(object, Generic) && (PyLong_Check(object) || PyFloat_Check(object) || PyComplex_Check(object));
}

bool is_complex_object(PyObject* object) {
    if (is_ndarray(object)) return is_complex(reinterpret_cast<NdArray*>(object)->value.dtype());
    if (PyArray_Check(object)) return PyArray_ISCOMPLEX(as_numpy(object));
    if (is_recorded_number(object)) return false;
    if (is_python_number(object)) return PyComplex_Check(object) != 0;
    if (!PyArray_IsScalar(object, Generic) && PyObject_HasAttrString(object, "dtype") != 0) throw NeedsNumpy{};
    return is_complex(to_array(object).dtype());
}

}  // namespace

PyObject* isclose_body(PyObject** v) {
    check_finite(v[2]);
    check_finite(v[3]);
    return compat::without_invalid([&] { return Ref(bound<isclose_signature>(&fastnp::isclose, v)); }).release();
}

PyObject* allclose_body(PyObject** v) {
    check_finite(v[2]);
    check_finite(v[3]);
    return compat::without_invalid([&] { return Ref(bound<allclose_signature>(&fastnp::allclose, v)); }).release();
}

PyObject* array_equal_body(PyObject** v) {
    const std::optional<array> a = comparable(v[0]), b = a ? comparable(v[1]) : a;
    const bool equal_nan = v[2] != nullptr && is_true(v[2]);
    return PyBool_FromLong(compat::without_invalid([&] { return a && b && array_equal(*a, *b, equal_nan); }) ? 1 : 0);
}

PyObject* array_equiv_body(PyObject** v) {
    const std::optional<array> a = comparable(v[0]), b = a ? comparable(v[1]) : a;
    return PyBool_FromLong(compat::without_invalid([&] { return a && b && array_equiv(*a, *b); }) ? 1 : 0);
}

PyObject* isneginf_body(PyObject** v) { return bound<isneginf_signature>(&fastnp::isneginf, v); }
PyObject* isposinf_body(PyObject** v) { return bound<isposinf_signature>(&fastnp::isposinf, v); }

PyObject* isreal_body(PyObject** v) {
    if (!is_python_number(v[0])) return bound<isreal_signature>(&fastnp::isreal, v);
    const Ref part = own(PyObject_GetAttrString(v[0], "imag")), zero = own(PyLong_FromLong(0));
    return check(PyObject_RichCompare(part.get(), zero.get(), Py_EQ));
}

PyObject* iscomplex_body(PyObject** v) { return bound<iscomplex_signature>(&fastnp::iscomplex, v); }
PyObject* isrealobj_body(PyObject** v) { return PyBool_FromLong(is_complex_object(v[0]) ? 0 : 1); }
PyObject* iscomplexobj_body(PyObject** v) { return PyBool_FromLong(is_complex_object(v[0]) ? 1 : 0); }

PyObject* isscalar_body(PyObject** v) {
    if (is_ndarray(v[0])) return PyBool_FromLong(reinterpret_cast<NdArray*>(v[0])->scalar ? 1 : 0);
    if (is_recorded_number(v[0])) Py_RETURN_TRUE;
    static PyObject* numpys = nullptr;
    kept_attribute(numpys, "numpy", "isscalar");
    return check(PyObject_CallOneArg(numpys, v[0]));
}

}  // namespace fastnp::python
