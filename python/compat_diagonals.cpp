// Bodies of compat_diagonals.def.
#include "fastnp/numpy_compat/diagonals.h"

#include "compat.h"

namespace fastnp::python {

using compat::to_number;

namespace {

// A copy would not show what is written to the array later.
PyObject* view_of_diagonal(const array& made, const array& x, PyObject* source) {
    if (recording == nullptr && records() && !detail::is_beside(made, x)) throw NeedsNumpy{};  // whose view is of the same memory
    if (recording != nullptr && !detail::is_beside(made, x)) {
        refuse("a diagonal, as a view, of an array whose rows do not follow each other in memory");
    }
    return wrap_view(made, source);
}

std::int64_t offset_of(PyObject* object) { return object == nullptr ? 0 : to_number(object); }
int axis_or(PyObject* object, int standard) { return object == nullptr ? standard : to_int(object); }

const array& matrix_of(PyObject* object) {
    if (!is_ndarray(object)) throw NeedsNumpy{};
    const array& x = value_of(object);
    if (x.ndim() != 2) throw ValueError("input array must be 2-d");
    return x;
}

std::optional<std::int64_t> columns_of(PyObject* object) { return is_missing(object) ? std::nullopt : std::optional(to_number(object)); }

}  // namespace

PyObject* diagonal_body(PyObject** v) {
    const array x = to_array(v[0]);
    return view_of_diagonal(diagonal(x, offset_of(v[1]), axis_or(v[2], 0), axis_or(v[3], 1)), x, v[0]);
}

PyObject* trace_body(PyObject** v) {
    if (v[1] != nullptr) (void)to_number(v[1]);  // offsets beyond all are NumPy's
    return bound<trace_signature>(&fastnp::diagonal_sum, v);
}

PyObject* diag_body(PyObject** v) {
    const array x = to_array(v[0]);
    const array made = diag(x, offset_of(v[1]));
    return x.ndim() == 2 ? view_of_diagonal(made, x, v[0]) : wrap(made);
}

PyObject* diagflat_body(PyObject** v) { return wrap(diagflat(to_array(v[0]), offset_of(v[1]))); }

PyObject* tri_body(PyObject** v) {
    if (!is_missing(v[4])) throw NeedsNumpy{};
    const std::optional<Dtype> dtype = to_dtype(v[3]);
    return wrap(tri(to_number(v[0]), columns_of(v[1]), offset_of(v[2]), dtype.value_or(Dtype::float64)));
}

PyObject* tril_body(PyObject** v) {
    const array x = to_array(v[0]);
    if (x.ndim() == 0) throw NeedsNumpy{};  // for the error
    return wrap(tril(x, offset_of(v[1])));
}

PyObject* triu_body(PyObject** v) {
    const array x = to_array(v[0]);
    if (x.ndim() == 0) throw NeedsNumpy{};
    return wrap(triu(x, offset_of(v[1])));
}

PyObject* tril_indices_body(PyObject** v) { return compat::result_of(tril_indices(to_number(v[0]), offset_of(v[1]), columns_of(v[2]))); }
PyObject* triu_indices_body(PyObject** v) { return compat::result_of(triu_indices(to_number(v[0]), offset_of(v[1]), columns_of(v[2]))); }

PyObject* tril_indices_from_body(PyObject** v) {
    const Shape shape = detail::symbolic_shape(matrix_of(v[0]));
    return compat::result_of(tril_indices(shape[0], offset_of(v[1]), shape[1]));
}

PyObject* triu_indices_from_body(PyObject** v) {
    const Shape shape = detail::symbolic_shape(matrix_of(v[0]));
    return compat::result_of(triu_indices(shape[0], offset_of(v[1]), shape[1]));
}

namespace {

// One array, as often as there are axes.
PyObject* diagonal_places(std::int64_t count, std::int64_t rank) {
    if (rank < 0 || rank > 64) throw NeedsNumpy{};
    const Ref places = own(wrap(detail::size_range(0, count)));
    Ref made = own(PyTuple_New(static_cast<Py_ssize_t>(rank)));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(made.get()); ++i) PyTuple_SET_ITEM(made.get(), i, Py_NewRef(places.get()));
    return made.release();
}

}  // namespace

PyObject* diag_indices_body(PyObject** v) {
    if (v[1] != nullptr && PyLong_CheckExact(v[1]) == 0) throw NeedsNumpy{};
    return diagonal_places(to_number(v[0]), v[1] == nullptr ? 2 : to_index(v[1]));
}

PyObject* diag_indices_from_body(PyObject** v) {
    if (!is_ndarray(v[0])) throw NeedsNumpy{};
    const array& x = value_of(v[0]);
    if (x.ndim() < 2) throw ValueError("input array must be at least 2-d");
    const Shape shape = detail::symbolic_shape(x);
    for (const std::int64_t size : shape) {
        if (size == shape[0]) continue;
        const bool varies = detail::is_symbolic(size) || detail::is_symbolic(shape[0]);
        if (!varies || !detail::sizes_equal(size, shape[0])) throw ValueError("All dimensions of input must be of equal length");
    }
    return diagonal_places(shape[0], x.ndim());
}

}  // namespace fastnp::python
