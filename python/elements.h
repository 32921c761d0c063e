// The short way to elements and views of arrays whose memory is the host's alone, outside of recordings: what loops over elements pay. Whatever is not
// plain there (a tape, a device, a cast that may warn, what is wrong with a subscript) goes the general way.
#pragma once

#include <cstring>
#include <utility>

#include "fastnp/detail/elements.h"
#include "ndarray.h"

namespace fastnp::python {

using detail::HostElements;

/// Where an array lies that has a short way: it is not on a tape either.
bool find(PyObject* self, HostElements& x);
/// From the lowest address to behind the highest one; of an array that has elements.
std::pair<const char*, const char*> extent(const char* data, const Shape& shape, const Strides& strides, std::size_t itemsize);

/// What a subscript shows.
struct Part {
    char* data;
    Shape shape;
    Strides strides;
    bool is_element = false;

    /// An integer or a slice on an axis; false for others, what is out of bounds, and slices without elements.
    bool take_axis(PyObject* item, std::int64_t size, std::int64_t stride);
    bool put(std::int64_t size, std::int64_t stride) {
        shape.push_back(size);
        strides.push_back(stride);
        return size != 0;
    }
};

/// False for other entries than integers, slices, None and Ellipsis, for what is out of bounds, and for parts without elements.
bool find_part(const HostElements& x, PyObject* const& key, Part& part);

/// An element as its bytes.
struct Element {
    alignas(16) std::byte bytes[16];

    const char* data() const { return reinterpret_cast<const char*>(bytes); }
    template <class T>
    bool put(T value) {
        std::memcpy(bytes, &value, sizeof value);
        return true;
    }
    template <class T>
    bool put_integer(long long value) {
        return std::in_range<T>(value) && put(static_cast<T>(value));
    }
};

/// A number as an element, where there is nothing to say of the cast.
bool put(Element& to, Dtype dtype, PyObject* value);

/// A NumPy scalar of an element at an address; not of bfloat16.
PyObject* scalar_at(Dtype dtype, const void* element);

/// x.T, x.ravel() and x.reshape(sizes) as views; null without an error: the general way.
PyObject* quick_transposed(PyObject* self);
PyObject* quick_flat(PyObject* self);
PyObject* quick_reshaped(PyObject* self, PyObject* const* sizes, Py_ssize_t rank);

/// The only element, or the one at a flat position of an array with one axis, as Python's number; null without an error: the general way.
PyObject* quick_number(PyObject* self, PyObject* const* args, Py_ssize_t nargs);
/// The elements as lists of Python's numbers; null without an error: the general way.
PyObject* quick_list(PyObject* self);
/// float(x) of an array without axes; null without an error: the general way.
PyObject* quick_float(PyObject* self);

/// x[key] of integers, slices, None and Ellipsis; null without an error: the general way.
PyObject* quick_item(PyObject* self, PyObject* key);
/// The same of one integer, with the IndexError that ends an iteration.
PyObject* quick_item_at(PyObject* self, Py_ssize_t position);
/// x.copy() in C order of few elements; null without an error: the general way.
PyObject* quick_copy(PyObject* self);
/// x[key] = value of a number, or an array of the dtype; false, and nothing is done: the general way.
bool quick_set(PyObject* self, PyObject* key, PyObject* value);

}  // namespace fastnp::python
