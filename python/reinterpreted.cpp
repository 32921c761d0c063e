// Methods that see an array's memory otherwise: as elements of another dtype, as bytes.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "compat.h"
#include "elements.h"
#include "fastnp/detail/elements.h"
#include "float_errors.h"
#include "functions.h"
#include "ndarray.h"
#include "tape.h"

namespace fastnp::python {

namespace {

// Arrays of the host, that are read now; NeedsNumpy for others.
HostElements elements_at_hand(PyObject* self) {
    HostElements x;
    if (records() || reinterpret_cast<NdArray*>(self)->scalar || !find(self, x)) throw NeedsNumpy{};
    return x;
}

PyObject* base_of(PyObject* self) {
    auto* object = reinterpret_cast<NdArray*>(self);
    return object->base != nullptr ? object->base : self;
}

// Elements of that dtype in x's memory, which have to lie as the processor reads them. NumPy has arrays of others.
PyObject* seen_as(PyObject* self, char* data, Dtype dtype, const Shape& shape, const Strides& strides) {
    const auto align = static_cast<std::int64_t>(is_complex(dtype) ? itemsize_of(dtype) / 2 : itemsize_of(dtype));
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(align) == 0 &&
                            std::ranges::all_of(strides, [align](std::int64_t step) { return step % align == 0; });
    if (!is_aligned) throw NeedsNumpy{};
    return wrap(detail::view_as(value_of(self), dtype, data, shape, strides), base_of(self));
}

Dtype dtype_given(PyObject* object) {
    if (PyType_Check(object) && PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(object), &PyArray_Type)) throw NeedsNumpy{};
    const std::optional<Dtype> dtype = to_dtype(object);
    if (!dtype) throw NeedsNumpy{};
    return *dtype;
}

// The field of each element, as numpy.ndarray.getfield finds it.
PyObject* field_of(PyObject* self, PyObject* dtype, PyObject* offset) {
    const HostElements x = elements_at_hand(self);
    const Dtype wanted = dtype_given(dtype);
    const std::int64_t from = offset == nullptr ? 0 : to_index(offset);
    if (from < 0 || from + static_cast<std::int64_t>(itemsize_of(wanted)) > static_cast<std::int64_t>(itemsize_of(x.dtype))) throw NeedsNumpy{};
    return seen_as(self, x.data + from, wanted, *x.shape, *x.strides);
}

template <class T, class F>
void swap_each(char* first, std::size_t count, F swapped) {
    for (std::size_t i = 0; i < count; ++i) {
        T element;
        std::memcpy(&element, first + i * sizeof(T), sizeof element);
        element = swapped(element);
        std::memcpy(first + i * sizeof(T), &element, sizeof element);
    }
}

void swap_bytes(char* first, std::size_t count, std::size_t bytes) {
    if (bytes == 2) swap_each<std::uint16_t>(first, count, [](std::uint16_t x) { return __builtin_bswap16(x); });
    if (bytes == 4) swap_each<std::uint32_t>(first, count, [](std::uint32_t x) { return __builtin_bswap32(x); });
    if (bytes == 8) swap_each<std::uint64_t>(first, count, [](std::uint64_t x) { return __builtin_bswap64(x); });
}

}  // namespace

PyObject* view_method_body(PyObject** v) {
    if (v[2] != nullptr) throw NeedsNumpy{};
    if (v[1] == Py_None) throw NeedsNumpy{};  // a dtype to NumPy
    if (v[1] == nullptr) {
        if (reinterpret_cast<NdArray*>(v[0])->scalar) throw NeedsNumpy{};
        return wrap(value_of(v[0]).index({Index(ellipsis)}), base_of(v[0]));
    }
    const HostElements x = elements_at_hand(v[0]);
    const Dtype dtype = dtype_given(v[1]);
    const auto old = static_cast<std::int64_t>(itemsize_of(x.dtype)), bytes = static_cast<std::int64_t>(itemsize_of(dtype));
    Shape shape = *x.shape;
    Strides strides = *x.strides;
    if (bytes != old) {
        if (shape.empty() || strides.back() != old || shape.back() * old % bytes != 0 || shape.back() == 0) throw NeedsNumpy{};
        shape.back() = shape.back() * old / bytes;
        strides.back() = bytes;
    }
    return seen_as(v[0], x.data, dtype, shape, strides);
}

PyObject* getfield_method_body(PyObject** v) { return field_of(v[0], v[1], v[2]); }

PyObject* setfield_method_body(PyObject** v) {
    Element element;
    if (!put(element, dtype_given(v[2]), v[1])) throw NeedsNumpy{};  // which may tell of what is lost
    const Ref field = own(field_of(v[0], v[2], v[3]));
    prepare_write(v[0]);
    array part = value_of(field.get()).index({Index(ellipsis)});
    std::move(part) = to_assigned(v[1], part.dtype());
    return Py_NewRef(Py_None);
}

PyObject* byteswap_method_body(PyObject** v) {
    const HostElements x = elements_at_hand(v[0]);
    const bool in_place = v[1] != nullptr && is_true(v[1]);
    if (in_place && !x.is_writable) throw NeedsNumpy{};  // to say so
    array made = value_of(v[0]).copy(Order::any);
    const std::size_t bytes = is_complex(x.dtype) ? itemsize_of(x.dtype) / 2 : itemsize_of(x.dtype);
    HostElements to;
    if (!detail::find_on_host(made, to)) throw NeedsNumpy{};
    swap_bytes(to.data, static_cast<std::size_t>(made.size()) * (is_complex(x.dtype) ? 2 : 1), bytes);
    if (!in_place) return wrap(made);
    prepare_write(v[0]);
    copyto(value_of(v[0]), made);
    return Py_NewRef(v[0]);
}

PyObject* tobytes_method_body(PyObject** v) {
    (void)elements_at_hand(v[0]);
    const Order order = to_order(v[1], Order::c);
    if (order != Order::c && order != Order::f) throw NeedsNumpy{};
    const array line = (order == Order::c ? value_of(v[0]) : transpose(value_of(v[0]))).copy(Order::c);
    return check(PyBytes_FromStringAndSize(static_cast<const char*>(detail::address_of(line)),
                                           static_cast<Py_ssize_t>(line.size()) * static_cast<Py_ssize_t>(itemsize_of(line.dtype()))));
}

PyObject* to_device_method_body(PyObject** v) {
    if (!records()) (void)elements_at_hand(v[0]);
    if (!is_missing(v[2]) || !PyUnicode_Check(v[1]) || PyUnicode_CompareWithASCIIString(v[1], "cpu") != 0) throw NeedsNumpy{};
    return Py_NewRef(v[0]);
}

}  // namespace fastnp::python
