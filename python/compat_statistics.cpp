// Bodies of compat_statistics.def.
#include "compat.h"
#include "fastnp/detail/memory.h"
#include "fastnp/detail/order.h"
#include "fastnp/detail/transform.h"
#include "fastnp/numpy_compat/histograms.h"
#include "fastnp/numpy_compat/nan_statistics.h"
#include "fastnp/numpy_compat/order_statistics.h"
#include "fastnp/numpy_compat/statistics.h"
#include "float_errors.h"
#include "number.h"

namespace fastnp::python {

namespace compat {

template <>
struct Words<QuantileMethod> {
    using enum QuantileMethod;
    static constexpr std::pair<std::string_view, QuantileMethod> list[] = {{"linear", linear},
                                                                           {"lower", lower},
                                                                           {"higher", higher},
                                                                           {"midpoint", midpoint},
                                                                           {"nearest", nearest},
                                                                           {"inverted_cdf", inverted_cdf},
                                                                           {"averaged_inverted_cdf", averaged_inverted_cdf},
                                                                           {"closest_observation", closest_observation},
                                                                           {"interpolated_inverted_cdf", interpolated_inverted_cdf},
                                                                           {"hazen", hazen},
                                                                           {"weibull", weibull},
                                                                           {"median_unbiased", median_unbiased},
                                                                           {"normal_unbiased", normal_unbiased}};
};

}  // namespace compat

namespace {

// Where flags are raised NumPy may have a warning of its own ("Mean of empty slice"), which is for any state of floating-point errors.
PyObject* told(PyObject* result) {
    if (detail::any_float_flag()) ask_numpy();
    return result;
}

// What a reduction begins with is cast as NumPy casts it; one with a derivative is no number.
void check_start(PyObject* a, PyObject* initial) {
    if (is_missing(initial)) return;
    if (is_ndarray(initial)) throw NeedsNumpy{};
    (void)to_initial(initial, to_array(a).dtype());
}

// A mask of numbers is an error in some cases, and in others is counted.
void check_mask(PyObject* where) {
    if (where != Py_True && !is_missing(where) && to_array(where).dtype() != Dtype::bool_) throw NeedsNumpy{};
}

using Extreme = array (*)(const array&, const FoldOptions&);
PyObject* fold_body(Extreme function, PyObject** v) {
    check_start(v[0], v[5]);
    return bound<nansum_signature>(function, v);
}
PyObject* extreme_body(Extreme function, PyObject** v) {
    check_start(v[0], v[4]);
    const std::optional<array> out = to_out(v[2]);
    if (out && !is_inexact(out->dtype()) && is_inexact(to_array(v[0]).dtype())) throw NeedsNumpy{};  // which casts NaN on the way
    return told(bound<nanmax_signature>(function, v));
}

PyObject* spread_body(array (*function)(const array&, const FoldOptions&, double), PyObject** v) {
    check_mask(v[6]);
    if (!is_missing(v[7])) throw NeedsNumpy{};
    if (!is_missing(v[8])) {
        if (v[4] != nullptr) throw NeedsNumpy{};  // one of both
        v[4] = v[8];
    }
    return told(bound<nanvar_signature>(function, v));
}

// Whether all elements of a slice are NaN can't be asked for all parts of a mapped array at once.
PyObject* place_body(array (*function)(const array&, const AxisOptions&), PyObject** v) {
    const array x = to_array(v[0]);
    if (is_inexact(x.dtype()) && detail::is_mapped(x)) throw NeedsNumpy{};
    return bound<nanargmax_signature>(function, v);
}

}  // namespace

PyObject* nansum_body(PyObject** v) { return fold_body(&fastnp::nansum, v); }
PyObject* nanprod_body(PyObject** v) { return fold_body(&fastnp::nanprod, v); }
PyObject* nanmax_body(PyObject** v) { return extreme_body(&fastnp::nanmax, v); }
PyObject* nanmin_body(PyObject** v) { return extreme_body(&fastnp::nanmin, v); }
PyObject* nanmean_body(PyObject** v) {
    check_mask(v[5]);
    return told(bound<nanmean_signature>(&fastnp::nanmean, v));
}
PyObject* nanvar_body(PyObject** v) { return spread_body(&fastnp::nanvar, v); }
PyObject* nanstd_body(PyObject** v) { return spread_body(&fastnp::nanstd, v); }
PyObject* nanargmax_body(PyObject** v) { return place_body(&fastnp::nanargmax, v); }
PyObject* nanargmin_body(PyObject** v) { return place_body(&fastnp::nanargmin, v); }
PyObject* nancumsum_body(PyObject** v) { return bound<nancumsum_signature>(&fastnp::nancumsum, v); }
PyObject* nancumprod_body(PyObject** v) { return bound<nancumprod_signature>(&fastnp::nancumprod, v); }

PyObject* ptp_body(PyObject** v) { return bound<ptp_signature>(&fastnp::ptp, v); }

namespace {

std::pair<array, array> both_averages(const array& x, const Axes& axis, const std::optional<array>& weights, bool, bool keepdims) {
    return average_and_weights(x, axis, weights, keepdims);
}
array one_average(const array& x, const Axes& axis, const std::optional<array>& weights, bool, bool keepdims) {
    return average(x, axis, weights, keepdims);
}

// Numbers of observations and weights that are no list of numbers, of which NumPy tells, or whose signs can't be asked at once.
void check_weights(PyObject* weights) {
    if (is_missing(weights)) return;
    const array given = to_array(weights);
    if (given.ndim() != 1 || detail::is_mapped(given) || is_complex(given.dtype())) throw NeedsNumpy{};
}

// Python has another class for one of the errors.
template <class F>
PyObject* numpys_errors(F&& f) {
    try {
        return f();
    } catch (const ValueError& error) {
        if (std::string_view(error.what()).starts_with("incompatible numbers")) throw NeedsNumpy{};
        throw;
    }
}

// Variables in NumPy's dtypes of covariances.
void check_covariance(PyObject* dtype) {
    const std::optional<Dtype> wanted = to_dtype(dtype);
    if (wanted && !is_inexact(*wanted)) throw NeedsNumpy{};
}

}  // namespace

PyObject* average_body(PyObject** v) {
    if (!is_missing(v[2]) && !records() && to_array(v[0]).size() == 0) throw NeedsNumpy{};  // for what it says of no weights
    if (!is_missing(v[3]) && is_true(v[3])) return told(bound<average_signature>(&both_averages, v));
    return told(bound<average_signature>(&one_average, v));
}

PyObject* cov_body(PyObject** v) {
    if (!is_missing(v[4]) && PyLong_Check(v[4]) == 0) throw NeedsNumpy{};
    check_weights(v[5]);
    check_weights(v[6]);
    check_covariance(v[7]);
    return told(numpys_errors([&] { return wrap(compat::call<cov_signature>(&fastnp::cov, v)); }));
}

PyObject* corrcoef_body(PyObject** v) {
    check_covariance(v[3]);
    return told(bound<corrcoef_signature>(&fastnp::corrcoef, v));
}

namespace {

// Elements of some dtypes are sorted for it; of more than these, NumPy finds what is wanted in less time.
constexpr std::int64_t most_sorted = 256;
bool is_selected(Dtype dtype) { return dtype == Dtype::float64 || dtype == Dtype::float32 || dtype == Dtype::int64 || dtype == Dtype::int32; }

// The array, unless the case is NumPy's: `spare` arguments, no axes, no elements, long lines at hand.
void check_lines(PyObject* a, std::initializer_list<PyObject*> spare) {
    only_defaults(spare);
    const array x = to_array(a);
    if (x.ndim() == 0 || x.dtype() == Dtype::bfloat16) throw NeedsNumpy{};
    if (x.is_recorded() || records() || detail::is_at_device(x)) return;
    if (x.size() == 0 || (x.size() > most_sorted && !is_selected(x.dtype()))) throw NeedsNumpy{};
}

// A number is weakly typed if it is Python's own.
Operand to_part(PyObject* q) {
    if (is_recorded_number(q) || PyBool_Check(q) != 0) throw NeedsNumpy{};
    if (PyFloat_CheckExact(q) != 0 || PyLong_CheckExact(q) != 0) return to_operand(q);
    const array given = to_array(q);
    if (given.ndim() > 2 || detail::is_mapped(given) || (!is_floating(given.dtype()) && !is_integer(given.dtype()))) throw NeedsNumpy{};
    return given;
}

using Quantile = array (*)(const array&, const Operand&, const Axes&, QuantileMethod, bool);

// Whether a device may find the elements without sorting the lines, of which _ordered.py knows.
bool is_for_device(const array& x, PyObject* q, QuantileMethod method) {
    if (method != QuantileMethod::linear || x.device() == "cpu" || is_ndarray(q)) return false;
    const array given = to_array(q);
    return given.ndim() <= 1 && !given.is_recorded();
}

PyObject* quantile_by(Quantile function, PyObject** v, bool leaves_nan_out = false) {
    check_lines(v[0], {v[4], v[7]});
    const array x = to_array(v[0]);
    const QuantileMethod method = v[5] == nullptr ? QuantileMethod::linear : compat::From<QuantileMethod>::make(v[5]);
    if (!leaves_nan_out && is_for_device(x, v[1], method)) throw NeedsNumpy{};
    const Operand q = to_part(v[1]);
    const array* const strong = q.as_array();
    if (strong != nullptr && strong->ndim() > 1 && !strong->is_c_contiguous()) throw NeedsNumpy{};  // whose result lies as they do
    const bool widens = strong != nullptr && is_floating(x.dtype()) && promote_types(x.dtype(), strong->dtype()) != x.dtype();
    if (leaves_nan_out && widens && !x.is_recorded() && !records()) throw NeedsNumpy{};  // of NaN alone, it has the dtype of x
    const bool keepdims = !is_missing(v[6]) && is_true(v[6]);
    const Axes axis = v[2] == nullptr ? Axes() : to_axes(v[2]);
    return told(compat::written(function(x, q, axis, method, keepdims), v[3]));
}

template <array (*function)(const array&, const Axes&, bool)>
array middle(const array& x, const Axes& axis, bool, bool keepdims) {
    return function(x, axis, keepdims);
}

}  // namespace

PyObject* median_body(PyObject** v) {
    check_lines(v[0], {v[3]});
    return told(bound<median_signature>(&middle<&fastnp::median>, v));
}
PyObject* nanmedian_body(PyObject** v) {
    if (!records() && is_ndarray(v[0]) && value_of(v[0]).ndim() > 2 && !value_of(v[0]).is_c_contiguous())
        throw NeedsNumpy{};  // whose result lies otherwise
    check_lines(v[0], {v[3]});
    return told(bound<nanmedian_signature>(&middle<&fastnp::nanmedian>, v));
}
PyObject* quantile_body(PyObject** v) { return quantile_by(&fastnp::quantile, v); }
PyObject* percentile_body(PyObject** v) { return quantile_by(&fastnp::percentile, v); }
PyObject* nanquantile_body(PyObject** v) { return quantile_by(&fastnp::nanquantile, v, true); }
PyObject* nanpercentile_body(PyObject** v) { return quantile_by(&fastnp::nanpercentile, v, true); }

PyObject* bincount_body(PyObject** v) {
    const array x = to_array(v[0]);
    compat::leave_mapped_to_numpy({v[0]});
    if (is_inexact(x.dtype()) && !is_ndarray(v[0]) && !PyArray_Check(v[0])) throw NeedsNumpy{};  // a list without elements has no dtype
    if (v[2] != nullptr && (v[2] == Py_None || PyBool_Check(v[2]))) throw NeedsNumpy{};            // which refuses it
    return bound<bincount_signature>(&fastnp::bincount, v);
}

PyObject* digitize_body(PyObject** v) {
    const array bins = to_array(v[1]);
    const bool is_asked = !bins.is_recorded() && is_floating(bins.dtype()) && !records();
    if (bins.ndim() != 1 || is_complex(bins.dtype()) || detail::is_mapped(bins)) throw NeedsNumpy{};
    if (is_asked && any(isnan(bins))) throw NeedsNumpy{};  // where NaN may stand among edges is its to say
    return bound<digitize_signature>(&fastnp::digitize, v);
}

}  // namespace fastnp::python
