// Bodies of compat_sets.def.
#include "compat.h"
#include "fastnp/detail/unique.h"
#include "fastnp/numpy_compat/sets.h"

namespace fastnp::python {

namespace {

bool flag(PyObject* object) { return object != nullptr && is_true(object); }

// Numbers of Python's that are joined with arrays take these' dtypes.
void leave_numbers_to_numpy(PyObject** v) {
    const auto is_number = [](PyObject* object) { return PyLong_Check(object) != 0 || PyFloat_Check(object) != 0 || PyComplex_Check(object) != 0; };
    if (is_number(v[0]) || is_number(v[1])) throw NeedsNumpy{};
}

// A named tuple of NumPy's.
PyObject* named(const char* type, const std::vector<array>& parts) {
    const Ref made = own(PyTuple_New(static_cast<Py_ssize_t>(parts.size())));
    for (std::size_t i = 0; i < parts.size(); ++i) PyTuple_SET_ITEM(made.get(), static_cast<Py_ssize_t>(i), wrap(parts[i]));
    const Ref class_ = import_attribute("numpy.lib._arraysetops_impl", type);
    return check(PyObject_CallObject(class_.get(), made.get()));
}

}  // namespace

PyObject* isin_body(PyObject** v) {
    if (!is_missing(v[4])) {
        if (!PyUnicode_Check(v[4]) || std::string_view(PyUnicode_AsUTF8(v[4])) != "sort") throw NeedsNumpy{};  // which refuses some tables
    }
    const array x = to_array(v[0]), others = to_array(v[1]);
    return wrap(isin(x, others, flag(v[3])));
}

PyObject* union1d_body(PyObject** v) {
    leave_numbers_to_numpy(v);
    compat::leave_mapped_to_numpy({v[0], v[1]});
    return bound<union1d_signature>(&fastnp::union1d, v);
}

PyObject* intersect1d_body(PyObject** v) {
    leave_numbers_to_numpy(v);
    compat::leave_mapped_to_numpy({v[0], v[1]});
    const array a = to_array(v[0]), b = to_array(v[1]);
    if (!flag(v[3])) return wrap(intersect1d(a, b, flag(v[2])));
    const Intersection found = intersect1d_indices(a, b, flag(v[2]));
    return compat::result_of(std::tuple(found.values, found.of_a, found.of_b));
}

PyObject* setdiff1d_body(PyObject** v) {
    leave_numbers_to_numpy(v);
    compat::leave_mapped_to_numpy({v[0], v[1]});
    return bound<setdiff1d_signature>(&fastnp::setdiff1d, v);
}

PyObject* setxor1d_body(PyObject** v) {
    leave_numbers_to_numpy(v);
    compat::leave_mapped_to_numpy({v[0], v[1]});
    return bound<setxor1d_signature>(&fastnp::setxor1d, v);
}

PyObject* unique_values_body(PyObject** v) {
    if (!compat::is_elsewhere(to_array(v[0]))) throw NeedsNumpy{};  // which does not sort them
    compat::leave_mapped_to_numpy({v[0]});
    return wrap(unique(to_array(v[0]), false));
}

PyObject* unique_counts_body(PyObject** v) {
    compat::leave_mapped_to_numpy({v[0]});
    const detail::CountedValues found = detail::counted_values(to_array(v[0]), false);
    return named("UniqueCountsResult", {found.values, found.counts});
}

PyObject* unique_inverse_body(PyObject** v) {
    compat::leave_mapped_to_numpy({v[0]});
    const Unique found = unique_all(to_array(v[0]), false);
    return named("UniqueInverseResult", {found.values, found.inverse});
}

PyObject* unique_all_body(PyObject** v) {
    compat::leave_mapped_to_numpy({v[0]});
    const Unique found = unique_all(to_array(v[0]), false);
    return named("UniqueAllResult", {found.values, found.indices, found.inverse, found.counts});
}

PyObject* lexsort_body(PyObject** v) {
    std::vector<array> keys;
    if (is_ndarray(v[0]) || PyArray_Check(v[0])) {
        const array rows = to_array(v[0]);
        if (rows.ndim() == 0) throw NeedsNumpy{};
        for (std::int64_t i = 0; i < rows.shape(0); ++i) keys.push_back(rows(i));
    } else {
        keys = compat::From<std::vector<array>>::make(v[0]);
    }
    if (keys.empty() || keys[0].ndim() == 0) throw NeedsNumpy{};
    return wrap(lexsort(keys, v[1] == nullptr ? -1 : to_int(v[1])));
}

}  // namespace fastnp::python
