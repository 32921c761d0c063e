// Reductions, scans, clip, round and where: bodies of functions.def.
#include "compat.h"
#include "fastnp/detail/memory.h"
#include "fastnp/detail/size.h"
#include "float_errors.h"
#include "size.h"
#include "tape.h"

namespace fastnp::python {

namespace {

using Fold = array (*)(const Operand&, const FoldOptions&);
using Scan = array (*)(const Operand&, const AxisOptions&);

using FoldArguments = compat::OptionObjects;

// What a fold begins with is a number of the elements' dtype.
FoldOptions to_options(FoldArguments given, const Operand& elements) {
    PyObject* const initial = std::exchange(given.initial, nullptr);
    FoldOptions options = compat::to_options<FoldOptions>(given);
    if (!is_missing(initial)) options.initial = to_initial(initial, options.dtype.value_or(elements.as_array()->dtype()));
    return options;
}

// Reductions of one element type keep it: a list, or a number, is an array first.
Operand fold_operand(PyObject* object) { return to_array(object); }

PyObject* fold(Fold function, PyObject* a, const FoldArguments& given) {
    const Operand elements = fold_operand(a);
    return finish(function(elements, to_options(given, elements)), given.out);
}

using Join = array (*)(const Operand&, const Operand&, const UfuncOptions&);

// A fold that begins with a number that has a derivative, or is mapped: it joins what the rest gives.
PyObject* fold(Fold function, Join join, PyObject* a, FoldArguments given) {
    PyObject* const initial = given.initial;
    if (is_missing(initial) || !is_ndarray(initial) || !value_of(initial).is_recorded()) return fold(function, a, given);
    const bool has_identity = function == &sum_fold || function == &prod_fold;
    if (value_of(initial).ndim() != 0 || (!has_identity && !is_missing(given.where))) return fold(function, a, given);
    PyObject* const out = given.out;
    given.initial = given.out = nullptr;
    const Operand elements = fold_operand(a);
    const array rest = function(elements, to_options(given, elements));
    note_lost_parts(initial, rest.dtype());
    expect_to_fit(initial, rest.dtype());
    UfuncOptions options;
    options.out = to_out(out);
    return finish(join(value_of(initial).astype(rest.dtype()), rest, options), out);
}

PyObject* along(Scan function, PyObject* a, PyObject* axis, PyObject* dtype, PyObject* out, PyObject* keepdims) {
    return finish(function(fold_operand(a), compat::to_options<AxisOptions>({axis, dtype, out, keepdims})), out);
}

double to_ddof(PyObject* ddof, PyObject* correction) {
    PyObject* given = is_missing(correction) ? ddof : correction;
    if (!is_missing(correction) && !is_missing(ddof) && is_true(ddof)) {
        raise(PyExc_ValueError, "ddof and correction can't be provided simultaneously.");
    }
    if (is_missing(given)) return 0;
    const double value = PyFloat_AsDouble(given);
    if (value == -1 && PyErr_Occurred() != nullptr) throw PythonError{};
    return value;
}

// Of numbers as a mask NumPy counts the sum.
void check_counts(PyObject* where) {
    if (where != Py_True && !is_missing(where) && to_array(where).dtype() != Dtype::bool_) throw NeedsNumpy{};
}

PyObject* spread(array (*function)(const Operand&, const FoldOptions&, double), PyObject** v) {
    only_defaults({v[7]});
    check_counts(v[6]);
    const Operand elements = fold_operand(v[0]);
    const FoldOptions options = to_options({v[1], v[2], v[3], v[5], nullptr, v[6]}, elements);
    return finish(function(elements, options, to_ddof(v[4], v[8])), v[3]);
}

}  // namespace

PyObject* sum_body(PyObject** v) { return fold(&sum_fold, &fastnp::add, v[0], {v[1], v[2], v[3], v[4], v[5], v[6]}); }
PyObject* prod_body(PyObject** v) { return fold(&prod_fold, &fastnp::multiply, v[0], {v[1], v[2], v[3], v[4], v[5], v[6]}); }
PyObject* max_body(PyObject** v) { return fold(&max_fold, &fastnp::maximum, v[0], {v[1], nullptr, v[2], v[3], v[4], v[5]}); }
PyObject* min_body(PyObject** v) { return fold(&min_fold, &fastnp::minimum, v[0], {v[1], nullptr, v[2], v[3], v[4], v[5]}); }
PyObject* any_body(PyObject** v) { return fold(&any_fold, v[0], {v[1], nullptr, v[2], v[3], nullptr, v[4]}); }
PyObject* all_body(PyObject** v) { return fold(&all_fold, v[0], {v[1], nullptr, v[2], v[3], nullptr, v[4]}); }
PyObject* mean_body(PyObject** v) {
    check_counts(v[5]);
    return fold(&fastnp::mean, v[0], {v[1], v[2], v[3], v[4], nullptr, v[5]});
}
PyObject* var_body(PyObject** v) { return spread(&fastnp::var, v); }
PyObject* std_body(PyObject** v) { return spread(&fastnp::stddev, v); }
PyObject* var_method_body(PyObject** v) { return spread(&fastnp::var, v); }
PyObject* std_method_body(PyObject** v) { return spread(&fastnp::stddev, v); }
PyObject* argmax_body(PyObject** v) { return along(&argmax, v[0], v[1], nullptr, v[2], v[3]); }
PyObject* argmin_body(PyObject** v) { return along(&argmin, v[0], v[1], nullptr, v[2], v[3]); }
PyObject* cumsum_body(PyObject** v) { return along(&cumsum, v[0], v[1], v[2], v[3], nullptr); }
PyObject* cumprod_body(PyObject** v) { return along(&cumprod, v[0], v[1], v[2], v[3], nullptr); }

PyObject* clip_body(PyObject** v) {
    const bool named = v[1] == nullptr && v[2] == nullptr;
    if (!named && (v[1] == nullptr || v[2] == nullptr || v[4] != nullptr || v[5] != nullptr)) throw NeedsNumpy{};  // to say what is wrong
    PyObject* all[] = {v[0], named ? v[4] : v[1], named ? v[5] : v[2], v[3], v[6], v[7], v[8]};
    return clip_method_body(all);
}

PyObject* clip_method_body(PyObject** v) {
    PyObject *low = v[1], *high = v[2];
    UfuncOptions options;
    options.out = to_out(v[3]);
    options.where = to_mask(v[4]);
    options.dtype = to_dtype(v[5]);
    if (v[6] != nullptr) options.casting = to_casting(v[6]);
    std::optional<Operand> lower, upper;
    const auto bound = [&](PyObject* object, PyObject* other) {
        if (!is_missing(other) && is_ndarray(other)) return to_operand(object);
        return to_operand_beside(object, options.dtype.value_or(to_array(v[0]).dtype()));
    };
    if (!is_missing(low)) lower = bound(low, high);
    if (!is_missing(high)) upper = bound(high, low);
    if (!lower && !upper) return finish(positive(to_array(v[0]), options), v[3]);
    return finish(clip(to_array(v[0]), lower, upper, options), v[3]);
}

PyObject* round_body(PyObject** v) {
    only_defaults({v[2]});
    const int decimals = is_missing(v[1]) ? 0 : to_int(v[1]);
    const array x = to_array(v[0]);
    if (is_complex(x.dtype()) && decimals != 0) throw NeedsNumpy{};  // which rounds the parts, each for itself
    return wrap_scalar(round(x, decimals));
}

PyObject* copyto_body(PyObject** v) {
    if (!is_ndarray(v[0])) throw NeedsNumpy{};
    if (reinterpret_cast<NdArray*>(v[0])->scalar) {
        raise(PyExc_TypeError, "copyto() argument 1 must be a numpy.ndarray, not numpy." + std::string(name_of(value_of(v[0]).dtype())));
    }
    for (int i : {1, 3}) {
        if (v[i] != nullptr) (void)records_with(v[i]);
    }
    prepare_write(v[0]);
    // A number has a dtype of its own here, and is cast.
    const bool is_cast = PyFloat_Check(v[1]) != 0 && !is_inexact(value_of(v[0]).dtype());
    const bool is_huge = PyLong_CheckExact(v[1]) != 0 && !small_int(v[1]).has_value();
    const Operand source = is_cast ? Operand(to_array(v[1])) : is_huge ? Operand(elements_of(v[1], value_of(v[0]).dtype())) : to_operand(v[1]);
    copyto(value_of(v[0]), source, v[2] == nullptr ? Casting::same_kind : to_casting(v[2]), to_mask(v[3]));
    return Py_NewRef(Py_None);
}

// A view for complex arrays, as numpy.real and numpy.imag. The zeros of a real one are not to be written to.
namespace {
PyObject* part(PyObject* object, array (*function)(const Operand&, const UfuncOptions&), const char* attribute) {
    if (is_ndarray(object) && !reinterpret_cast<NdArray*>(object)->scalar && is_complex(value_of(object).dtype())) {
        return wrap_view(detail::part_of(value_of(object), attribute[0] == 'i'), object);
    }
    if (PyLong_Check(object) || PyFloat_Check(object) || PyComplex_Check(object)) return check(PyObject_GetAttrString(object, attribute));
    const array x = to_array(object);
    if (!is_complex(x.dtype()) && attribute[0] == 'r') return is_ndarray(object) ? Py_NewRef(object) : wrap_view(x, object);
    const bool is_made = !is_ndarray(object) && PyArray_Check(object) == 0;  // of a list or a number
    const bool scalar = is_ndarray(object) ? reinterpret_cast<NdArray*>(object)->scalar : is_made && x.ndim() == 0;
    if (!scalar && !is_ndarray(object) && is_complex(x.dtype())) {
        array shown = detail::part_of(x, attribute[0] == 'i');
        return is_made ? wrap(std::move(shown)) : wrap_view(std::move(shown), object);
    }
    array result = function(x, {});
    if (scalar) return wrap_scalar(std::move(result));
    if (is_complex(x.dtype())) return wrap(std::move(result));
    // The zeros that a real array has for imaginary parts: in one of two orders, and not to be written to.
    const array zeros = result.copy(x.is_f_contiguous() && !x.is_c_contiguous() ? Order::f : Order::c);
    return wrap(broadcast_to(zeros, detail::symbolic_shape(zeros)));
}
}  // namespace

PyObject* real_body(PyObject** v) { return part(v[0], &fastnp::real, "real"); }
PyObject* imag_body(PyObject** v) { return part(v[0], &fastnp::imag, "imag"); }

}  // namespace fastnp::python
