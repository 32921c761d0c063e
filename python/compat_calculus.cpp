// Bodies of compat_calculus.def.
#include "compat.h"
#include "fastnp/numpy_compat/calculus.h"

namespace fastnp::python {

PyObject* ediff1d_body(PyObject** v) { return bound<ediff1d_signature>(&fastnp::ediff1d, v); }

PyObject* gradient_body(PyObject** v) {
    const std::vector<array> slopes = compat::call<gradient_signature>(&fastnp::gradient, v);
    if (slopes.size() == 1) return wrap(slopes[0]);
    Ref made = own(PyTuple_New(static_cast<Py_ssize_t>(slopes.size())));
    for (std::size_t i = 0; i < slopes.size(); ++i) PyTuple_SET_ITEM(made.get(), static_cast<Py_ssize_t>(i), wrap(slopes[i]));
    return made.release();
}

PyObject* cumulative_sum_body(PyObject** v) { return bound<cumulative_sum_signature>(&fastnp::cumulative_sum, v); }
PyObject* cumulative_prod_body(PyObject** v) { return bound<cumulative_prod_signature>(&fastnp::cumulative_prod, v); }

PyObject* trapezoid_body(PyObject** v) {
    if (v[3] != nullptr && (is_missing(v[1]) || to_array(v[1]).ndim() == 1)) {
        const int axis = to_int(v[3]), rank = to_array(v[0]).ndim();
        if (axis < -rank || axis >= rank) raise(PyExc_IndexError, "list assignment index out of range");  // NumPy's words
    }
    return bound<trapezoid_signature>(&fastnp::trapezoid, v);
}

namespace {

void tell_of_two_dimensions() {
    compat::warn(PyExc_DeprecationWarning,
                 "Arrays of 2-dimensional vectors are deprecated. Use arrays of 3-dimensional vectors instead. (deprecated in NumPy 2.0)");
}

}  // namespace

PyObject* cross_body(PyObject** v) {
    const array result = compat::call<cross_signature>(&fastnp::cross, v);
    const auto length_of = [&](int operand, int axis_at) {
        const array x = to_array(v[operand]);
        return x.shape(is_missing(v[5]) ? to_int(v[axis_at]) : to_int(v[5]));
    };
    if (length_of(0, 2) == 2 || length_of(1, 3) == 2) tell_of_two_dimensions();
    return wrap(result);
}

PyObject* kron_body(PyObject** v) { return bound<kron_signature>(&fastnp::kron, v); }

}  // namespace fastnp::python
