// Bodies of compat_choosing.def.
#include "fastnp/numpy_compat/choosing.h"

#include <algorithm>

#include "compat.h"
#include "fastnp/detail/size.h"
#include "float_errors.h"

namespace fastnp::python {

namespace compat {

template <>
struct Words<TakeMode> {
    static constexpr std::pair<std::string_view, TakeMode> list[] = {{"raise", TakeMode::raise}, {"wrap", TakeMode::wrap}, {"clip", TakeMode::clip}};
};

}  // namespace compat

namespace {

void expect_arrays(PyObject* first, PyObject* second) {
    for (PyObject* each : {first, second}) {
        if (!is_ndarray(each) && !PyArray_Check(each)) throw NeedsNumpy{};  // which asks them for their axes
    }
}

// NumPy refuses other orders.
Order order_given(PyObject* object) {
    const Order order = to_order(object, Order::c);
    if (order != Order::c && order != Order::f) throw NeedsNumpy{};
    return order;
}

// Whether an array of that shape has elements; NumPy says what is wrong with others.
bool has_places(const Shape& shape) {
    return !shape.empty() && std::ranges::all_of(shape, [](std::int64_t size) { return detail::is_symbolic(size) || size > 0; });
}

}  // namespace

PyObject* take_along_axis_body(PyObject** v) {
    expect_arrays(v[0], v[1]);
    if (compat::may_leave(to_array(v[0]), to_array(v[1]))) throw NeedsNumpy{};  // which is faster
    return bound<take_along_axis_signature>(&fastnp::take_along_axis, v);
}

PyObject* put_along_axis_body(PyObject** v) {
    expect_arrays(v[0], v[1]);
    if (is_missing(v[3])) throw NeedsNumpy{};  // whose copy it writes to depends on how the array lies
    if (compat::may_leave(to_array(v[0]), to_array(v[1]))) throw NeedsNumpy{};
    const std::optional<array> x = to_out(v[0]);
    note_lost_parts(v[2], x->dtype());
    put_along_axis(*x, to_array(v[1]), to_assigned(v[2], x->dtype()), to_axis(v[3]));
    return Py_NewRef(Py_None);
}

PyObject* unravel_index_body(PyObject** v) {
    const array indices = to_array(v[0]);
    if (compat::may_leave(indices)) throw NeedsNumpy{};  // which is faster
    const Shape shape = to_sizes(v[1]);
    if (compat::is_mapped(indices) || indices.size() == 0 || !has_places(shape)) throw NeedsNumpy{};
    if (indices.ndim() > 1 && (records() || !indices.is_c_contiguous())) throw NeedsNumpy{};  // whose arrays lie as the indices do
    const std::vector<array> made = unravel_index(indices, shape, order_given(v[2]));
    Ref tuple = own(PyTuple_New(static_cast<Py_ssize_t>(made.size())));
    for (std::size_t i = 0; i < made.size(); ++i) PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), wrap_scalar(made[i]));
    return tuple.release();
}

PyObject* ravel_multi_index_body(PyObject** v) {
    const std::vector<array> indices = compat::to_items(v[0]);
    if (std::ranges::all_of(indices, [](const array& each) { return compat::may_leave(each); })) throw NeedsNumpy{};  // which is faster
    const Shape shape = to_sizes(v[1]);
    if (std::ranges::any_of(indices, &compat::is_mapped) || !has_places(shape)) throw NeedsNumpy{};
    std::vector<TakeMode> modes;
    if (v[2] != nullptr && PyTuple_Check(v[2])) {
        if (PyTuple_GET_SIZE(v[2]) != static_cast<Py_ssize_t>(shape.size())) throw NeedsNumpy{};
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(v[2]); ++i) modes.push_back(compat::From<TakeMode>::make(PyTuple_GET_ITEM(v[2], i)));
    } else {
        modes.push_back(v[2] == nullptr ? TakeMode::raise : compat::From<TakeMode>::make(v[2]));
    }
    return wrap_scalar(ravel_multi_index(indices, shape, modes, order_given(v[3])));
}

PyObject* select_body(PyObject** v) {
    const std::vector<array> conditions = compat::to_items(v[0]);
    const std::vector<Operand> choices = compat::to_operands(v[1]);
    try {
        return wrap(select(conditions, choices, v[2] == nullptr ? Operand(0) : to_operand(v[2])));
    } catch (const OverflowError&) {
        throw NeedsNumpy{};  // a default that does not fit wraps around
    }
}

PyObject* choose_body(PyObject** v) {
    constexpr int most = 32;  // axes and choices, beyond which NumPy has limits
    only_defaults({v[2]});
    const array x = to_array(v[0]);
    if (is_ndarray(v[1]) && compat::is_mapped(value_of(v[1]))) throw NeedsNumpy{};  // of each example, whose rows they are
    const std::vector<Operand> choices = compat::to_operands(v[1]);
    if (x.ndim() > most || choices.size() > most) throw NeedsNumpy{};
    const TakeMode mode = v[3] == nullptr ? TakeMode::raise : compat::From<TakeMode>::make(v[3]);
    constexpr std::size_t many = 8;
    if (choices.size() > many && compat::may_leave(x)) throw NeedsNumpy{};  // which looks at one of them for each element
    if (mode == TakeMode::raise && compat::is_mapped(x)) throw NeedsNumpy{};  // an index is to be looked at
    return wrap_scalar(choose(x, choices, mode));
}

PyObject* choose_method_body(PyObject** v) {
    // A list or a tuple, or several arrays.
    PyObject* const only = PyTuple_GET_SIZE(v[1]) == 1 ? PyTuple_GET_ITEM(v[1], 0) : v[1];
    PyObject* given[] = {v[0], only, v[2], v[3]};
    try {
        return choose_body(given);
    } catch (const std::exception&) {
        if (records()) throw;
    }
    throw NeedsNumpy{};  // to say what is wrong
}

}  // namespace fastnp::python
