#include "compat.h"

#include <algorithm>
#include <string>

#include "by_numpy.h"
#include "fastnp/detail/memory.h"
#include "fastnp/detail/size.h"
#include "fastnp/detail/transform.h"
#include "number.h"
#include "numpy_api.h"

namespace fastnp::python::compat {

Standards::Standards(const Parameters& parameters) {
    const Ref names = own(PyDict_New());
    for (int i = 0; i < parameters.count; ++i) {
        const std::string text(parameters.list[static_cast<std::size_t>(i)].standard);
        if (!text.empty()) objects_[static_cast<std::size_t>(i)] = check(PyRun_String(text.c_str(), Py_eval_input, names.get(), names.get()));
    }
}

template <>
FoldOptions to_options(const OptionObjects& given) {
    FoldOptions options;
    if (given.axis != nullptr && PyList_Check(given.axis)) raise(PyExc_TypeError, "'list' object cannot be interpreted as an integer");
    options.axis = to_axes(given.axis);
    options.keepdims = !is_missing(given.keepdims) && is_true(given.keepdims);
    options.dtype = to_dtype(given.dtype);
    if (!is_missing(given.initial)) options.initial = to_scalar(given.initial);
    options.where = to_mask(given.where);
    options.out = to_out(given.out);
    return options;
}

template <>
AxisOptions to_options(const OptionObjects& given) {
    AxisOptions options;
    refuse_bool(given.axis, "an integer is required for the axis");
    options.axis = to_axis(given.axis);
    options.keepdims = !is_missing(given.keepdims) && is_true(given.keepdims);
    options.dtype = to_dtype(given.dtype);
    options.out = to_out(given.out);
    return options;
}

template <>
UfuncOptions to_options(const OptionObjects& given) {
    UfuncOptions options;
    options.dtype = to_dtype(given.dtype);
    options.where = to_mask(given.where);
    options.out = to_out(given.out);
    return options;
}

PyObject* result_of(array value) { return wrap_scalar(std::move(value)); }

PyObject* result_of(const std::vector<array>& values) {
    Ref made = own(PyList_New(static_cast<Py_ssize_t>(values.size())));
    for (std::size_t i = 0; i < values.size(); ++i) PyList_SET_ITEM(made.get(), static_cast<Py_ssize_t>(i), wrap(values[i]));
    return made.release();
}

PyObject* views_of(const std::vector<array>& values, PyObject* source) {
    Ref made = own(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
    for (std::size_t i = 0; i < values.size(); ++i) PyTuple_SET_ITEM(made.get(), static_cast<Py_ssize_t>(i), wrap_view(values[i], source));
    return made.release();
}

PyObject* views_of_items(const std::vector<array>& values, PyObject* sources) {
    Ref made = own(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto at = static_cast<Py_ssize_t>(i);
        PyTuple_SET_ITEM(made.get(), at, wrap_view(values[i], PyTuple_GET_ITEM(sources, at)));
    }
    return made.release();
}

bool is_elsewhere(const array& x) { return records() || x.is_recorded() || detail::is_at_device(x); }

bool may_leave(const array& x) { return !is_elsewhere(x) && !is_numpy_watched(); }
bool may_leave(const array& x, const array& y) { return !is_elsewhere(y) && may_leave(x); }

bool is_mapped(const array& x) { return x.is_recorded() && detail::is_mapped(x); }

std::int64_t to_number(PyObject* object) {
    if (const auto size = recorded_size(object)) return *size;
    if (is_ndarray(object) || PyArray_Check(object) || !PyIndex_Check(object)) throw NeedsNumpy{};
    const auto number = small_int(own(PyNumber_Index(object)).get());
    if (!number) throw NeedsNumpy{};
    return *number;
}

std::vector<std::int64_t> to_numbers(PyObject* object) {
    if (PyTuple_Check(object) || PyList_Check(object)) {
        std::vector<std::int64_t> numbers;
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) numbers.push_back(to_number(PySequence_Fast_GET_ITEM(object, i)));
        return numbers;
    }
    if (PyArray_Check(object) && PyArray_NDIM(as_numpy(object)) == 1 && PyArray_ISINTEGER(as_numpy(object))) {
        return to_numbers(own(PySequence_List(object)).get());
    }
    return {to_number(object)};
}

namespace {

// A list or a tuple as it is, other sequences as lists of their items; NumPy's arrays and this package's give views.
Ref items_of(PyObject* object) {
    if (PyTuple_Check(object) || PyList_Check(object)) return Ref::borrow(object);
    if (!is_ndarray(object) && !PyArray_Check(object)) throw NeedsNumpy{};
    Ref items(PySequence_List(object));
    if (!items) throw PythonError{};
    return items;
}

}  // namespace

std::vector<array> to_items(PyObject* object) {
    const Ref items = items_of(object);
    return From<std::vector<array>>::make(items.get());
}

std::vector<Operand> to_operands(PyObject* object) {
    const Ref items = items_of(object);
    return From<std::vector<Operand>>::make(items.get());
}

PyObject* written(array value, PyObject* out) {
    const std::optional<array> target = to_out(out);
    if (!target) return wrap_scalar(std::move(value));
    const Shape wanted = detail::symbolic_shape(value), given = detail::symbolic_shape(*target);
    const auto same = [](std::int64_t a, std::int64_t b) { return detail::is_symbolic(a) || detail::is_symbolic(b) ? detail::sizes_equal(a, b) : a == b; };
    if (!std::ranges::equal(wanted, given, same)) throw NeedsNumpy{};
    copyto(*target, value, Casting::same_kind);
    return finish(std::move(value), out);
}

namespace {

bool is_at_hand(PyObject* object, int depth = 0) {
    if (is_ndarray(object)) return !value_of(object).is_recorded() && !detail::is_at_device(value_of(object)) && !records();
    if (is_recorded_number(object)) return false;
    if ((!PyList_CheckExact(object) && !PyTuple_CheckExact(object)) || depth > 8) return true;
    PyObject** const items = PySequence_Fast_ITEMS(object);
    return std::all_of(items, items + PySequence_Fast_GET_SIZE(object), [&](PyObject* each) { return is_at_hand(each, depth + 1); });
}

}  // namespace

void leave_to_numpy(std::initializer_list<PyObject*> values) {
    if (records() || is_numpy_watched()) return;
    if (std::all_of(values.begin(), values.end(), [](PyObject* each) { return is_at_hand(each); })) throw NeedsNumpy{};
}

void leave_mapped_to_numpy(std::initializer_list<PyObject*> values) {
    if (!records()) return;
    for (PyObject* each : values) {
        if (is_ndarray(each) && detail::is_mapped(value_of(each))) throw NeedsNumpy{};
    }
}

void warn(PyObject* category, const char* text) {
    if (recording == nullptr) return check(PyErr_WarnEx(category, text, 1));
    const Ref note = import_attribute("fastnp._core", "_note_effect"), function = import_attribute("warnings", "warn");
    const Ref args = own(Py_BuildValue("(sO)", text, category)), kwargs = own(PyDict_New());
    (void)own(PyObject_CallFunctionObjArgs(note.get(), function.get(), args.get(), kwargs.get(), nullptr));
}

}  // namespace fastnp::python::compat
