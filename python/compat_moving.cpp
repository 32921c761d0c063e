// Bodies of compat_moving.def.
#include "fastnp/numpy_compat/moving.h"

#include "compat.h"

namespace fastnp::python {

using compat::to_number;
using compat::to_numbers;

PyObject* roll_body(PyObject** v) {
    const array x = to_array(v[0]);
    if (is_ndarray(v[1]) || PyArray_Check(v[1])) throw NeedsNumpy{};  // which broadcasts it with the axes
    if (x.ndim() == 0 && v[2] != nullptr && PyTuple_Check(v[2]) && PyTuple_GET_SIZE(v[2]) == 0) throw NeedsNumpy{};  // which has words for it
    return wrap(roll(x, to_numbers(v[1]), to_axes(v[2])));
}

PyObject* rot90_body(PyObject** v) {
    if (v[1] != nullptr && !PyIndex_Check(v[1])) throw NeedsNumpy{};
    const Ref four = own(PyLong_FromLong(4));
    const int k = v[1] == nullptr ? 1 : to_int(own(PyNumber_Remainder(own(PyNumber_Index(v[1])).get(), four.get())).get());
    std::vector<std::int64_t> axes{0, 1};
    if (v[2] != nullptr) axes = to_numbers(v[2]);
    if (axes.size() != 2) throw NeedsNumpy{};  // for the error
    return wrap_view(rot90(to_array(v[0]), k, static_cast<int>(axes[0]), static_cast<int>(axes[1])), v[0]);
}

PyObject* rollaxis_body(PyObject** v) {
    if (!is_ndarray(v[0]) && !PyArray_Check(v[0])) throw NeedsNumpy{};
    return bound_view<rollaxis_signature>(&fastnp::rollaxis, v);
}

PyObject* repeat_body(PyObject** v) {
    const array x = to_array(v[0]);
    const std::optional<int> axis = to_axis(v[2]);
    if (PyIndex_Check(v[1]) && !PyArray_Check(v[1]) && (!is_ndarray(v[1]) || recorded_size(v[1]))) return wrap(repeat(x, to_number(v[1]), axis));
    const array repeats = to_array(v[1]);
    if (compat::may_leave(x, repeats)) throw NeedsNumpy{};  // which is faster
    if (compat::is_mapped(repeats)) throw NeedsNumpy{};
    return wrap(repeat(x, repeats, axis));
}

PyObject* tile_body(PyObject** v) {
    const std::vector<std::int64_t> repeats = to_numbers(v[1]);
    return wrap_view(tile(to_array(v[0]), Shape(repeats.begin(), repeats.end())), v[0]);
}

PyObject* resize_body(PyObject** v) {
    const array x = to_array(v[0]);
    return wrap(resize(x, to_sizes(v[1])));
}

PyObject* atleast_3d_body(PyObject** v) {
    const Py_ssize_t count = PyTuple_GET_SIZE(v[0]);
    Ref made = own(PyTuple_New(count));
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* const item = PyTuple_GET_ITEM(v[0], i);
        const bool is_deep = is_ndarray(item) && value_of(item).ndim() >= 3;
        PyTuple_SET_ITEM(made.get(), i, is_deep ? Py_NewRef(item) : wrap_view(atleast_3d(to_array(item)), item));
    }
    return count == 1 ? Py_NewRef(PyTuple_GET_ITEM(made.get(), 0)) : made.release();
}

PyObject* unstack_body(PyObject** v) {
    if (!is_ndarray(v[0]) && !PyArray_Check(v[0])) throw NeedsNumpy{};
    const array x = to_array(v[0]);
    const std::vector<array> parts = unstack(x, v[1] == nullptr ? 0 : to_int(v[1]));
    if (x.ndim() > 1) return compat::views_of(parts, v[0]);
    Ref made = own(PyTuple_New(static_cast<Py_ssize_t>(parts.size())));
    for (std::size_t i = 0; i < parts.size(); ++i) PyTuple_SET_ITEM(made.get(), static_cast<Py_ssize_t>(i), wrap_scalar(parts[i]));
    return made.release();
}

}  // namespace fastnp::python
