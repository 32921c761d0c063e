// Sizes, axes and other whole numbers among the arguments, as NumPy takes them.
#include <limits>

#include "convert.h"
#include "size.h"

namespace fastnp::python {

std::int64_t to_index(PyObject* object) {
    const Py_ssize_t value = PyNumber_AsSsize_t(object, PyExc_OverflowError);
    if (value == -1 && PyErr_Occurred() != nullptr) throw PythonError{};
    return value;
}

int to_int(PyObject* object) {
    const std::int64_t value = to_index(object);
    if (value != static_cast<int>(value)) raise(PyExc_OverflowError, "Python int too large to convert to C int");
    return static_cast<int>(value);
}

namespace {

bool is_bool(PyObject* object) { return PyBool_Check(object) || PyArray_IsScalar(object, Bool); }

}  // namespace

void refuse_bool(PyObject* object, const char* words) {
    if (object != nullptr && is_bool(object)) raise(PyExc_TypeError, words);
}

Shape to_shape(PyObject* object) {
    Shape shape;
    if (is_bool(object)) {
        const Ref text = own(PyObject_Repr(object));
        raise(PyExc_TypeError, std::string("expected a sequence of integers or a single integer, got '") + PyUnicode_AsUTF8(text.get()) + "'");
    }
    if (PyIndex_Check(object) && !PySequence_Check(object)) {
        shape.push_back(to_index(object));
        return shape;
    }
    if (is_ndarray(object)) {
        const Ref view = own(readable_view(object, "a shape"));
        return to_shape(view.get());
    }
    if (PyIndex_Check(object) && PyArray_Check(object) && PyArray_NDIM(as_numpy(object)) == 0) return Shape{to_index(object)};
    const Ref items = own(PySequence_Fast(object, "expected a sequence of integers or a single integer"));
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
        refuse_bool(PySequence_Fast_GET_ITEM(items.get(), i), "an integer is required");
        shape.push_back(to_index(PySequence_Fast_GET_ITEM(items.get(), i)));
    }
    return shape;
}

Shape to_sizes(PyObject* object) {
    if (const auto size = recorded_size(object)) return Shape{*size};
    if (!records() || !(PyTuple_Check(object) || PyList_Check(object))) {
        Shape sizes = with_size_errors([object] { return to_shape(object); });
        for (const std::int64_t size : sizes) check_size(size);
        return sizes;
    }
    const Ref items = own(PySequence_Tuple(object));
    Shape sizes;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
        refuse_bool(PyTuple_GET_ITEM(items.get(), i), "an integer is required");
        sizes.push_back(size_of(PyTuple_GET_ITEM(items.get(), i)));
    }
    return sizes;
}

namespace {

// What can be no axis of any array is for NumPy to refuse, which does so in several ways.
std::int64_t to_axis_number(PyObject* object) {
    const Py_ssize_t value = PyNumber_AsSsize_t(object, PyExc_OverflowError);
    if (value == -1 && PyErr_Occurred() != nullptr) {
        if (PyErr_ExceptionMatches(PyExc_OverflowError) == 0) throw PythonError{};
        PyErr_Clear();
        throw NeedsNumpy{};
    }
    if (value > std::numeric_limits<int>::max() || value <= std::numeric_limits<int>::min()) throw NeedsNumpy{};
    return value;
}

}  // namespace

Axes to_axes(PyObject* object) {
    if (is_missing(object)) return {};
    SmallVector<std::int64_t> axes;
    if (PyTuple_Check(object) || PyList_Check(object)) {
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
            refuse_bool(PySequence_Fast_GET_ITEM(object, i), "an integer is required");
            axes.push_back(to_axis_number(PySequence_Fast_GET_ITEM(object, i)));
        }
    } else {
        refuse_bool(object, "an integer is required for the axis");
        return Axes(static_cast<int>(to_axis_number(object)));
    }
    return Axes(std::span<const std::int64_t>(axes.data(), axes.size()));
}

std::optional<int> to_axis(PyObject* object) {
    if (is_missing(object)) return std::nullopt;
    return static_cast<int>(to_axis_number(object));
}

PyObject* to_tuple(std::span<const std::int64_t> values) {
    Ref tuple = own(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
    for (std::size_t i = 0; i < values.size(); ++i) PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), check(PyLong_FromLongLong(values[i])));
    return tuple.release();
}

}  // namespace fastnp::python
