// Bodies of functions whose results depend on values in their size.
#include "fastnp/detail/unique.h"
#include "function_bodies.h"
#include "ndarray.h"

namespace fastnp::python {

namespace {

PyObject* tuple_of(const std::vector<array>& arrays) {
    Ref tuple = own(PyTuple_New(static_cast<Py_ssize_t>(arrays.size())));
    for (std::size_t i = 0; i < arrays.size(); ++i) PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), wrap(arrays[i]));
    return tuple.release();
}

// numpy.nonzero's results are the columns of one array.
PyObject* columns_of(const std::vector<array>& arrays) {
    if (arrays.size() == 1) return tuple_of(arrays);
    const array whole = stack(arrays, -1);
    std::vector<array> columns;
    for (std::size_t i = 0; i < arrays.size(); ++i) columns.push_back(whole.index({Index(ellipsis), Index(static_cast<std::int64_t>(i))}));
    return tuple_of(columns);
}

bool given(PyObject* flag) { return flag != nullptr && is_true(flag); }

}  // namespace

PyObject* where_body(PyObject** v) {
    const bool one = v[1] == nullptr && v[2] == nullptr;
    if (one) return columns_of(nonzero(to_array(v[0])));
    if (v[1] == nullptr || v[2] == nullptr) raise(PyExc_ValueError, "either both or neither of x and y should be given");
    const auto beside = [](PyObject* object, PyObject* other) {
        return is_ndarray(other) ? to_operand_beside(object, value_of(other).dtype()) : to_operand(object);
    };
    return wrap(where(to_array(v[0]), beside(v[1], v[2]), beside(v[2], v[1])));
}

PyObject* nonzero_body(PyObject** v) { return columns_of(nonzero(to_array(v[0]))); }
PyObject* flatnonzero_body(PyObject** v) { return wrap(flatnonzero(to_array(v[0]))); }
PyObject* argwhere_body(PyObject** v) { return wrap(argwhere(to_array(v[0]))); }

PyObject* count_nonzero_body(PyObject** v) {
    const array x = to_array(v[0]);
    if (!is_missing(v[1]) && PyTuple_Check(v[1])) throw NeedsNumpy{};
    FoldOptions options{.keepdims = given(v[2])};
    refuse_bool(v[1], "an integer is required for the axis");
    if (const std::optional<int> axis = to_axis(v[1])) options.axis = Axes(*axis);
    return wrap_scalar(sum(x.dtype() == Dtype::bool_ ? x : x.astype(Dtype::bool_), options));
}

PyObject* extract_body(PyObject** v) { return wrap(compress(reshape(to_array(v[0]), {-1}), reshape(to_array(v[1]), {-1}))); }

PyObject* compress_body(PyObject** v) {
    only_defaults({v[3]});
    return wrap(compress(to_array(v[0]), to_array(v[1]), to_axis(v[2])));
}

PyObject* compress_method_body(PyObject** v) {
    PyObject* given[] = {v[1], v[0], v[2], v[3]};
    return compress_body(given);
}

PyObject* unique_body(PyObject** v) {
    only_defaults({v[4]});
    if (v[6] != nullptr && !is_true(v[6])) throw NeedsNumpy{};
    const array x = to_array(v[0]);
    const bool equal_nan = v[5] == nullptr || is_true(v[5]);
    if (!given(v[1]) && !given(v[2]) && !given(v[3])) return wrap(unique(x, equal_nan));
    if (!given(v[1]) && !given(v[2])) {
        const detail::CountedValues found = detail::counted_values(x, equal_nan);
        return tuple_of({found.values, found.counts});
    }
    const Unique found = unique_all(x, equal_nan);
    std::vector<array> parts{found.values};
    if (given(v[1])) parts.push_back(found.indices);
    if (given(v[2])) parts.push_back(found.inverse);
    if (given(v[3])) parts.push_back(found.counts);
    return tuple_of(parts);
}

}  // namespace fastnp::python
