// Bodies of compat_polynomials.def. NumPy's class of polynomials stays NumPy's.
#include "compat.h"
#include "fastnp/detail/size.h"
#include "fastnp/numpy_compat/polynomials.h"

namespace fastnp::python {

namespace {

void refuse_polynomials(std::initializer_list<PyObject*> values) {
    static PyObject* type = nullptr;
    kept_attribute(type, "numpy", "poly1d");
    for (PyObject* value : values) {
        const int is_one = PyObject_IsInstance(value, type);
        check(is_one);
        if (is_one != 0) throw NeedsNumpy{};
    }
}

void only_of_one_axis(PyObject* polynomial) {
    if (to_array(polynomial).ndim() != 1) throw NeedsNumpy{};
}

}  // namespace

PyObject* polyval_body(PyObject** v) {
    refuse_polynomials({v[0], v[1]});
    const array p = to_array(v[0]), x = to_array(v[1]);
    const bool has_any_degree = p.ndim() > 0 && detail::is_symbolic(detail::symbolic_shape(p).front());  // each would be compiled by itself
    if (has_any_degree && !compat::is_mapped(p) && !compat::is_mapped(x)) throw NeedsNumpy{};
    const array result = polyval(p, x);
    const bool is_empty = x.ndim() == 0 && p.ndim() > 0 && p.shape(0) == 0;  // the array that it begins with
    return is_empty ? wrap(result) : compat::result_of(result);
}

PyObject* polyadd_body(PyObject** v) {
    refuse_polynomials({v[0], v[1]});
    return bound<polyadd_signature>(&fastnp::polyadd, v);
}

PyObject* polysub_body(PyObject** v) {
    refuse_polynomials({v[0], v[1]});
    return bound<polysub_signature>(&fastnp::polysub, v);
}

PyObject* polymul_body(PyObject** v) {
    refuse_polynomials({v[0], v[1]});
    compat::leave_mapped_to_numpy({v[0], v[1]});
    return bound<polymul_signature>(&fastnp::polymul, v);
}

PyObject* polydiv_body(PyObject** v) {
    refuse_polynomials({v[0], v[1]});
    compat::leave_mapped_to_numpy({v[0], v[1]});
    const auto [quotient, rest] = compat::call<polydiv_signature>(&fastnp::polydiv, v);
    return compat::result_of(std::pair(quotient, rest));
}

PyObject* polyder_body(PyObject** v) {
    refuse_polynomials({v[0]});
    only_of_one_axis(v[0]);
    return bound<polyder_signature>(&fastnp::polyder, v);
}

PyObject* polyint_body(PyObject** v) {
    refuse_polynomials({v[0]});
    only_of_one_axis(v[0]);
    return bound<polyint_signature>(&fastnp::polyint, v);
}

PyObject* poly_body(PyObject** v) {
    refuse_polynomials({v[0]});
    compat::leave_mapped_to_numpy({v[0]});
    const array roots = to_array(v[0]);
    if (roots.ndim() == 1 && roots.shape(0) == 0) return check(PyFloat_FromDouble(1));
    return compat::result_of(poly(roots));
}

PyObject* roots_body(PyObject** v) {
    refuse_polynomials({v[0]});
    compat::leave_mapped_to_numpy({v[0]});
    return bound<roots_signature>(&fastnp::roots, v);
}

namespace {

Covariance to_covariance(PyObject* object) {
    if (object == nullptr || is_ndarray(object) || PyArray_Check(object)) return Covariance::none;
    if (!is_true(object)) return Covariance::none;
    const bool is_unscaled = PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, "unscaled") == 0;
    return is_unscaled ? Covariance::unscaled : Covariance::scaled;
}

// NumPy warns of it where it is all that there is.
void tell_of_rank(const PolynomialFit& fit, std::int64_t order) {
    if (records() || fit.rank.item<std::int64_t>() == order) return;
    const Ref warning = import_attribute("numpy.exceptions", "RankWarning");
    compat::warn(warning.get(), "Polyfit may be poorly conditioned");
}

PyObject* scalar_of_precision(double value, Dtype dtype) {
    auto single = static_cast<float>(value);
    void* const data = dtype == Dtype::float32 ? static_cast<void*>(&single) : &value;
    return check(PyArray_Scalar(data, descr_of(dtype == Dtype::float32 ? dtype : Dtype::float64), nullptr));
}

}  // namespace

PyObject* polyfit_body(PyObject** v) {
    compat::leave_to_numpy({v[0], v[1]});
    if (!PyLong_Check(v[2])) throw NeedsNumpy{};
    const bool is_full = v[4] != nullptr && is_true(v[4]);
    PolyfitOptions options;
    options.rcond = compat::From<std::optional<double>>::make(v[3]);
    options.w = compat::From<std::optional<array>>::make(v[5]);
    options.covariance = is_full ? Covariance::none : to_covariance(v[6]);
    const int degree = to_int(v[2]);
    const PolynomialFit fit = polyfit(to_array(v[0]), to_array(v[1]), degree, options);
    if (!is_full) tell_of_rank(fit, degree + 1);
    if (!is_full && fit.covariance) return compat::result_of(std::pair(fit.coefficients, *fit.covariance));
    if (!is_full) return compat::result_of(fit.coefficients);
    Ref made = own(PyTuple_New(5));
    PyTuple_SET_ITEM(made.get(), 0, wrap(fit.coefficients));
    PyTuple_SET_ITEM(made.get(), 1, wrap(fit.residuals));
    PyTuple_SET_ITEM(made.get(), 2, compat::result_of(fit.rank));
    PyTuple_SET_ITEM(made.get(), 3, wrap(fit.singular_values));
    PyTuple_SET_ITEM(made.get(), 4, is_missing(v[3]) ? scalar_of_precision(fit.rcond, real_of(fit.singular_values.dtype())) : Py_NewRef(v[3]));
    return made.release();
}

}  // namespace fastnp::python
