// array, asarray, zeros, arange and their kin: bodies of functions.def. dtypes that fastnp does not have go to NumPy.
#include <algorithm>
#include <limits>

#include "exchange.h"
#include "fastnp/detail/elements.h"
#include "fastnp/detail/layout.h"
#include "fastnp/detail/memory.h"
#include "fastnp/detail/size.h"
#include "fastnp/device.h"
#include "fastnp/numpy_compat/making.h"
#include "float_errors.h"
#include "function_bodies.h"
#include "ndarray.h"
#include "number.h"
#include "number_items.h"
#include "number_list.h"
#include "size.h"

namespace fastnp::python {

namespace {

// What `make` makes of sizes, in an order. Of what is there from nothing "A" and "K" are "C".
template <class Make>
array made_in(PyObject* order, const Shape& sizes, Make make) {
    if (to_order(order, Order::c) != Order::f) return make(sizes);
    Shape reversed = sizes;
    std::reverse(reversed.begin(), reversed.end());
    return transpose(make(reversed));
}

// What was made in the order "K" of a prototype, in an order.
array laid(const array& made, const array& prototype, Order order) { return order == Order::keep ? made : detail::laid_like(made, prototype, order); }

void cpu_only(PyObject* device, PyObject* like) {
    if (!is_missing(like)) throw NeedsNumpy{};
    if (!is_missing(device) && (!PyUnicode_Check(device) || PyUnicode_CompareWithASCIIString(device, "cpu") != 0)) {
        const Ref text = own(PyObject_Str(device));
        raise(PyExc_ValueError, std::string("Device not understood. Only \"cpu\" is allowed, but received: ") + PyUnicode_AsUTF8(text.get()));
    }
}

// Whether it stands for a NumPy scalar, which lends its memory to nobody.
bool is_scalar(PyObject* object) { return object != nullptr && is_ndarray(object) && reinterpret_cast<NdArray*>(object)->scalar; }

enum class Copying { always, if_needed, never };

Copying to_copying(PyObject* copy, Copying fallback) {
    if (copy == nullptr) return fallback;
    if (copy == Py_None) return Copying::if_needed;
    if (PyUnicode_Check(copy)) throw NeedsNumpy{};  // which refuses it
    if (!PyLong_Check(copy) && PyObject_HasAttrString(copy, "value") != 0) {  // of numpy._CopyMode
        const Ref value = own(PyObject_GetAttrString(copy, "value"));
        if (!PyBool_Check(value.get())) return Copying::if_needed;
    }
    return is_true(copy) ? Copying::always : Copying::never;
}

// The object as an array of that dtype, and the object whose memory it shares, if it does.
std::pair<array, PyObject*> convert(PyObject* object, PyObject* dtype_object, Copying copying, Order order) {
    const std::optional<Dtype> dtype = to_dtype(dtype_object);
    if (!records() && !detail::may_use_devices() && copying != Copying::never && order != Order::f) {
        if (std::optional<array> made = array_of_items(object, dtype)) return {std::move(*made), nullptr};
    }
    const bool is_array = is_ndarray(object) || is_foreign(object) || (PyArray_Check(object) && shares_memory(as_numpy(object)));
    const bool lends_memory = is_array && !is_scalar(object);
    if (!lends_memory && copying == Copying::never) raise(PyExc_ValueError, "Unable to avoid copy while creating an array as requested.");
    // Lists and numbers go straight to the dtype, so that values which do not fit are NumPy's errors.
    const auto ordered = [order](array made) { return order == Order::f && !made.is_f_contiguous() ? made.copy(order) : std::move(made); };
    const bool is_converted =
        PyList_CheckExact(object) || PyTuple_CheckExact(object) || is_recorded_number(object) || is_number_list(object) || is_plain(object);
    if (dtype && is_converted && !(records() && dtype == Dtype::bfloat16)) return {ordered(elements_of(object, *dtype)), nullptr};
    array value = to_array(object);
    if (dtype && *dtype != value.dtype()) {
        if (copying == Copying::never) raise(PyExc_ValueError, "Unable to avoid copy while creating an array as requested.");
        const array made = value.astype(*dtype);
        return {lies_in(made, order) ? made : made.copy(order), nullptr};
    }
    if (is_array && copying == Copying::always) return {value.copy(order), nullptr};
    if (is_array && !lies_in(value, order)) {
        if (copying == Copying::never) raise(PyExc_ValueError, "Unable to avoid copy while creating an array as requested.");
        return {value.copy(order), nullptr};
    }
    if (!is_array) return {ordered(std::move(value)), nullptr};
    return {value, object};
}

using Shaped = array (*)(const Shape&, Dtype);

PyObject* shaped(Shaped function, PyObject** v) {
    cpu_only(v[3], v[4]);
    const Dtype dtype = to_dtype(v[1]).value_or(Dtype::float64);
    return wrap(made_in(v[2], to_sizes(v[0]), [&](const Shape& sizes) { return function(sizes, dtype); }));
}

// Whether "K" asks for the order of a prototype that lies otherwise than what is made of sizes alone.
bool is_in_its_order(const Shape& sizes, const array& prototype, Order order) {
    return order == Order::keep && static_cast<int>(sizes.size()) == prototype.ndim() && !records() && !prototype.is_c_contiguous();
}

using Like = array (*)(const array&, std::optional<Dtype>);

PyObject* like(Like function, Shaped by_shape, PyObject** v) {
    cpu_only(v[5], nullptr);
    const Order order = to_order(v[2], Order::keep);
    const array prototype = to_array(v[0]);
    const std::optional<Dtype> dtype = to_dtype(v[1]);
    if (is_missing(v[4])) return wrap(laid(function(prototype, dtype), prototype, order));
    const Shape sizes = to_sizes(v[4]);
    if (order == Order::any || is_in_its_order(sizes, prototype, order)) throw NeedsNumpy{};
    return wrap(made_in(v[2], sizes, [&](const Shape& sizes) { return by_shape(sizes, dtype.value_or(prototype.dtype())); }));
}

// Memory that was made for an array, on the device that arrays are made on.
array at_home(array value) {
    const bool stays = !detail::may_use_devices() || records() || detail::is_at_device(value);
    return stays ? std::move(value) : value.to(current_device());
}

// Whether a number is one of that dtype, whatever its value: no cast can overflow, and no check can fail.
bool fits(PyObject* value, Dtype dtype) {
    if (PyBool_Check(value)) return true;
    const bool is_wide = dtype == Dtype::float64 || dtype == Dtype::complex128;
    return (PyFloat_CheckExact(value) && is_wide) || (small_int(value) && (is_wide || dtype == Dtype::int64));
}

// The number or the array that full() and full_like() are of. NumPy's casts of numbers are its own here: NaN becomes an integer, 300 no int8.
Operand fill_operand(PyObject* value, std::optional<Dtype> dtype) {
    if (dtype) note_lost_parts(value, *dtype);
    if (!dtype || *dtype == Dtype::bfloat16 || !is_plain(value) || PyList_Check(value) || PyTuple_Check(value) || fits(value, *dtype)) {
        return to_operand_beside(value, dtype.value_or(is_size(value) ? Dtype::int64 : Dtype::float64));
    }
    const Ref full = import_attribute("numpy", "full");
    const Ref shape = own(PyTuple_New(0));
    const Ref descr(reinterpret_cast<PyObject*>(descr_of(*dtype)));
    const Ref own_complex = PyComplex_CheckExact(value) ? own(PyArray_FromAny(value, nullptr, 0, 0, 0, nullptr)) : Ref::borrow(value);
    const Ref number = without_lost_parts(own_complex.get(), *dtype);
    const ToldByNumpy told;
    return to_scalar(own(PyObject_CallFunctionObjArgs(full.get(), shape.get(), number.get(), descr.get(), nullptr)).get());
}

Dtype dtype_of_fill(const Operand& fill, std::optional<Dtype> dtype) {
    if (dtype) return *dtype;
    return fill.as_array() != nullptr ? fill.as_array()->dtype() : array(*fill.as_scalar()).dtype();
}

// `made`, set to the elements.
array set_to(array made, const array& elements) {
    if (elements.ndim() == 0) return where(full_like(made, true, Dtype::bool_), elements.astype(made.dtype()), made);
    copyto(made, elements, Casting::unsafe);
    return made;
}

array filled(const Shape& shape, PyObject* value, std::optional<Dtype> dtype) {
    const Operand fill = fill_operand(value, dtype);
    const Dtype wanted = dtype_of_fill(fill, dtype);
    return fill.as_scalar() != nullptr ? full(shape, *fill.as_scalar(), wanted) : set_to(zeros(shape, wanted), *fill.as_array());
}

// Whether NumPy reads the object's memory, or asks the object itself for an array.
bool is_exporter(PyObject* object) {
    if (PyList_CheckExact(object) || PyTuple_CheckExact(object) || PyBytes_Check(object) || PyUnicode_Check(object) || PyArray_Check(object)) return false;
    if (PyArray_IsScalar(object, Generic) || is_ndarray(object) || is_foreign(object) || !is_plain(object)) return false;
    if (PyObject_CheckBuffer(object) != 0) return true;
    if (PyLong_CheckExact(object) || PyFloat_CheckExact(object) || PyBool_Check(object) || PyComplex_CheckExact(object)) return false;
    for (const char* name : {"__array_interface__", "__array_struct__", "__array__"}) {
        if (PyObject_HasAttrString(object, name) != 0) return true;
    }
    return false;
}

int flags_of(Copying copying, Order order) {
    const int copies = copying == Copying::always ? NPY_ARRAY_ENSURECOPY : copying == Copying::never ? NPY_ARRAY_ENSURENOCOPY : 0;
    const int lies = order == Order::c ? NPY_ARRAY_C_CONTIGUOUS : order == Order::f ? NPY_ARRAY_F_CONTIGUOUS : 0;
    return copies | lies | NPY_ARRAY_FORCECAST;
}

struct Exported {
    array value;
    Ref base;  // whose memory it is, if it is another's
};

// Of a list, or of an object whose __array__ gives an array of fastnp's, which NumPy refuses: what is to be read in its place; else the error.
Ref in_place_of(PyObject* object, Copying copying) {
    if (PyErr_ExceptionMatches(PyExc_ValueError) == 0) throw PythonError{};
    PyObject *type = nullptr, *error = nullptr, *traceback = nullptr;
    PyErr_Fetch(&type, &error, &traceback);
    static PyObject* given_by = nullptr;
    kept_attribute(given_by, "fastnp._fallback", "given_by");
    PyObject* const copy = copying == Copying::if_needed ? Py_None : copying == Copying::always ? Py_True : Py_False;
    Ref made(PyObject_CallFunctionObjArgs(given_by, object, copy, error, nullptr));
    if (!made || made.get() == object) {
        PyErr_Restore(type, error, traceback);
        throw PythonError{};
    }
    for (PyObject* each : {type, error, traceback}) Py_XDECREF(each);
    return made;
}

Exported exported(PyObject* object, PyObject* dtype_object, Copying copying, Order order) {
    const std::optional<Dtype> dtype = to_dtype(dtype_object);
    const Ref made(PyArray_FromAny(object, dtype ? descr_of(*dtype) : nullptr, 0, 0, flags_of(copying, order), nullptr));
    if (!made) throw PythonError{};
    PyArrayObject* const theirs = as_numpy(made.get());
    if (!shares_memory(theirs)) throw NeedsNumpy{};
    PyObject* const base = PyArray_BASE(theirs) != nullptr ? PyArray_BASE(theirs) : Py_REFCNT(theirs) > 1 ? made.get() : nullptr;
    return {from_numpy(theirs), base == nullptr ? Ref() : Ref::borrow(base)};
}

}  // namespace

bool lies_in(const array& x, Order order) {
    if (order == Order::c) return x.is_c_contiguous();
    if (order == Order::any) return x.is_c_contiguous() || x.is_f_contiguous();
    return order != Order::f || x.is_f_contiguous();
}

namespace {

PyObject* converted(PyObject* object, PyObject* dtype, Copying copying, Order order, std::int64_t rank) {
    const auto deep = [rank](array value) {
        while (value.ndim() < rank) value = expand_dims(value, 0);
        return value;
    };
    if (!records() && current_device() == "cpu" && is_exporter(object)) {
        Exported made = exported(object, dtype, copying, order);
        return wrap(deep(std::move(made.value)), made.base.get());
    }
    auto [found, base] = convert(object, dtype, copying, order);
    array value = deep(std::move(found));
    if (is_scalar(base)) return wrap(value.copy());
    if (base == object && is_ndarray(base) && value.body() == value_of(base).body()) return Py_NewRef(base);
    if (base != object) return wrap(at_home(std::move(value)));
    return wrap(std::move(value), base);
}

// array(), asarray(): of `rank` axes at least.
PyObject* made_of(PyObject* object, PyObject* dtype, Copying copying, Order order, std::int64_t rank) {
    try {
        return converted(object, dtype, copying, order, rank);
    } catch (const PythonError&) {
        const Ref made = in_place_of(object, copying);
        const bool is_trusted = is_ndarray(made.get()) && copying == Copying::always;  // it was told to make a copy
        return converted(made.get(), dtype, is_trusted ? Copying::if_needed : copying, order, rank);
    }
}

}  // namespace

PyObject* array_body(PyObject** v) {
    const Order order = to_order(v[3], Order::keep);
    cpu_only(nullptr, v[6]);
    if (v[4] != nullptr && is_true(v[4]) && PyArray_Check(v[0]) && !PyArray_CheckExact(v[0])) throw NeedsNumpy{};  // subok
    const std::int64_t rank = is_missing(v[5]) ? 0 : to_axis(v[5]).value_or(0);
    if (rank < 0 || rank > 64) throw NeedsNumpy{};  // more than arrays have in NumPy
    return made_of(v[0], v[1], to_copying(v[2], Copying::always), order, rank);
}

PyObject* asarray_body(PyObject** v) {
    const Order order = to_order(v[2], Order::keep);
    cpu_only(v[3], v[5]);
    return made_of(v[0], v[1], to_copying(v[4], Copying::if_needed), order, 0);
}

// Subclasses of NumPy's stay what they are.
PyObject* asanyarray_body(PyObject** v) {
    if (PyArray_Check(v[0]) && !PyArray_CheckExact(v[0])) throw NeedsNumpy{};
    return asarray_body(v);
}

PyObject* empty_body(PyObject** v) { return shaped(&fastnp::empty, v); }
PyObject* zeros_body(PyObject** v) { return shaped(&fastnp::zeros, v); }
PyObject* ones_body(PyObject** v) { return shaped(&fastnp::ones, v); }
PyObject* empty_like_body(PyObject** v) { return like(&fastnp::empty_like, &fastnp::empty, v); }
PyObject* zeros_like_body(PyObject** v) { return like(&fastnp::zeros_like, &fastnp::zeros, v); }
PyObject* ones_like_body(PyObject** v) { return like(&fastnp::ones_like, &fastnp::ones, v); }

PyObject* full_body(PyObject** v) {
    cpu_only(v[4], v[5]);
    const std::optional<Dtype> dtype = to_dtype(v[2]);
    const array made = filled(to_sizes(v[0]), v[1], dtype);
    return wrap(to_order(v[3], Order::c) == Order::f ? made.copy(Order::f) : made);
}

PyObject* full_like_body(PyObject** v) {
    cpu_only(v[6], nullptr);
    const Order order = to_order(v[3], Order::keep);
    const array prototype = to_array(v[0]);
    const std::optional<Dtype> dtype = to_dtype(v[2]);
    if (!is_missing(v[5]) && order != Order::c && order != Order::keep) throw NeedsNumpy{};
    if (!is_missing(v[5]) && is_in_its_order(to_sizes(v[5]), prototype, order)) throw NeedsNumpy{};
    if (!is_missing(v[5])) return wrap(filled(to_sizes(v[5]), v[1], dtype.value_or(prototype.dtype())));
    const Operand fill = fill_operand(v[1], dtype.value_or(prototype.dtype()));
    const Scalar* scalar = fill.as_scalar();
    const array made = scalar != nullptr ? full_like(prototype, *scalar, dtype) : set_to(zeros_like(prototype, dtype), *fill.as_array());
    return wrap(laid(made, prototype, order));
}

namespace {

// The int, or what stands for one while recording.
std::optional<std::int64_t> int_or_size(PyObject* object) {
    if (PyLong_CheckExact(object)) {
        const std::int64_t number = to_index(object);
        return detail::is_symbolic(number) ? std::nullopt : std::optional(number);
    }
    if (is_ndarray(object) && value_of(object).dtype() != Dtype::int64) return std::nullopt;
    return recorded_size(object);
}

// arange over sizes that vary; nothing for other arguments.
std::optional<array> range_of_sizes(PyObject* start, PyObject* stop) {
    const auto first = start == nullptr ? std::optional<std::int64_t>(0) : int_or_size(start);
    const auto last = int_or_size(stop);
    if (!first || !last) return std::nullopt;
    return detail::size_range(*first, *last);
}

}  // namespace

PyObject* arange_body(PyObject** v) {
    cpu_only(v[4], v[5]);
    if (is_missing(v[0])) {
        if (is_missing(v[1])) throw NeedsNumpy{};  // which says what it lacks
        static PyObject* const zero = PyLong_FromLong(0);
        v[0] = zero;
    }
    const std::optional<Dtype> dtype = to_dtype(v[3]);
    if (recording != nullptr && is_missing(v[2])) {
        const bool one = is_missing(v[1]);
        if (const auto range = range_of_sizes(one ? nullptr : v[0], one ? v[0] : v[1])) return wrap(range->astype(dtype.value_or(Dtype::int64)));
    }
    // A NumPy scalar makes the result's dtype its own, which only NumPy works out.
    for (int i = 0; i < 3; ++i) {
        if (v[i] == nullptr || v[i] == Py_None) continue;
        if (!PyLong_CheckExact(v[i]) && !PyFloat_CheckExact(v[i])) throw NeedsNumpy{};
        int overflow = 0;
        if (PyLong_CheckExact(v[i])) (void)PyLong_AsLongLongAndOverflow(v[i], &overflow);
        if (overflow != 0) throw NeedsNumpy{};
    }
    const Scalar step = is_missing(v[2]) ? Scalar(1) : to_scalar(v[2]);
    if (is_missing(v[1])) return wrap(arange(Scalar(0), to_scalar(v[0]), step, dtype));
    return wrap(arange(to_scalar(v[0]), to_scalar(v[1]), step, dtype));
}

namespace {

// Of arrays, along another axis, or with the step.
PyObject* samples(PyObject** v, std::int64_t count, bool endpoint) {
    const int axis = is_missing(v[6]) ? 0 : to_int(v[6]);
    const Operand start = to_operand_beside(v[0], Dtype::float64), stop = to_operand_beside(v[1], Dtype::float64);
    SpacedSamples made = linspace_with_step(start, stop, count, endpoint, to_dtype(v[5]), axis);
    if (v[4] == nullptr || !is_true(v[4])) return wrap(std::move(made.values));
    const Ref values = own(wrap(std::move(made.values)));
    const Ref step = own(made.has_step ? wrap_scalar(std::move(made.step)) : PyFloat_FromDouble(std::numeric_limits<double>::quiet_NaN()));
    return check(PyTuple_Pack(2, values.get(), step.get()));
}

}  // namespace

PyObject* linspace_body(PyObject** v) {
    cpu_only(v[7], nullptr);
    const std::int64_t count = is_missing(v[2]) ? 50 : size_of(v[2]);
    const bool endpoint = v[3] == nullptr || is_true(v[3]);
    const auto is_plain_number = [](PyObject* end) { return PyLong_CheckExact(end) || PyFloat_CheckExact(end); };
    constexpr std::int64_t many = 8192;  // fewer passes are worth it
    const bool is_simple =
        (records() || count < many) && is_plain_number(v[0]) && is_plain_number(v[1]) && (v[4] == nullptr || !is_true(v[4])) && is_missing(v[6]);
    if (!is_simple) return samples(v, count, endpoint);
    return wrap(linspace(to_scalar(v[0]), to_scalar(v[1]), count, endpoint, to_dtype(v[5])));
}

PyObject* eye_body(PyObject** v) {
    refuse_bool(v[0], "an integer is required");
    const Order order = to_order(v[4], Order::c);
    cpu_only(v[5], v[6]);
    std::optional<std::int64_t> columns;
    if (!is_missing(v[1])) columns = size_of(v[1]);
    // Diagonals as far away are none of any matrix.
    constexpr std::int64_t far = std::numeric_limits<int>::max();
    const auto k = static_cast<int>(is_missing(v[2]) ? 0 : std::clamp(to_index(v[2]), -far, far));
    const array made = eye(size_of(v[0]), columns, k, to_dtype(v[3]).value_or(Dtype::float64));
    return wrap(order == Order::f ? made.copy(order) : made);
}

}  // namespace fastnp::python
