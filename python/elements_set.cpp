// Numbers and small arrays set as elements.
#include <cfloat>
#include <cmath>
#include <cstring>

#include "convert.h"
#include "elements.h"

#include <numpy/arrayscalars.h>

namespace fastnp::python {

namespace {

bool put_float(Element& to, Dtype dtype, double value) {
    if (dtype == Dtype::float64) return to.put(value);
    if (dtype != Dtype::float32) return false;
    const auto narrow = static_cast<float>(value);
    const bool is_normal = std::fabs(value) >= FLT_MIN && std::fabs(value) <= FLT_MAX && std::fabs(narrow) <= FLT_MAX;
    return (is_normal || value == 0) && to.put(narrow);
}

bool put_integer(Element& to, Dtype dtype, long long value) {
    constexpr long long most = 1LL << 24;  // which float32 has, too
    switch (dtype) {
        case Dtype::bool_: return to.put(value != 0);
        case Dtype::int8: return to.put_integer<std::int8_t>(value);
        case Dtype::uint8: return to.put_integer<std::uint8_t>(value);
        case Dtype::int16: return to.put_integer<std::int16_t>(value);
        case Dtype::uint16: return to.put_integer<std::uint16_t>(value);
        case Dtype::int32: return to.put_integer<std::int32_t>(value);
        case Dtype::uint32: return to.put_integer<std::uint32_t>(value);
        case Dtype::int64: return to.put_integer<std::int64_t>(value);
        case Dtype::uint64: return to.put_integer<std::uint64_t>(value);
        case Dtype::float32: return value >= -most && value <= most && to.put(static_cast<float>(value));
        case Dtype::float64: return to.put(static_cast<double>(value));
        default: return false;
    }
}

}  // namespace

bool put(Element& to, Dtype dtype, PyObject* value) {
    if (PyFloat_CheckExact(value)) return put_float(to, dtype, PyFloat_AS_DOUBLE(value));
    if (PyLong_CheckExact(value)) {
        int overflow = 0;
        const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
        return overflow == 0 && put_integer(to, dtype, number);
    }
    PyTypeObject* const type = Py_TYPE(value);
    if (type == &PyDoubleArrType_Type) return put_float(to, dtype, reinterpret_cast<PyDoubleScalarObject*>(value)->obval);
    if (type == &PyInt64ArrType_Type) return dtype == Dtype::int64 && to.put(reinterpret_cast<PyInt64ScalarObject*>(value)->obval);
    if (type == &PyFloatArrType_Type) return dtype == Dtype::float32 && to.put(reinterpret_cast<PyFloatScalarObject*>(value)->obval);
    if (type == &PyCDoubleArrType_Type) return dtype == Dtype::complex128 && to.put(reinterpret_cast<PyCDoubleScalarObject*>(value)->obval);
    if (type == &PyBool_Type) return dtype == Dtype::bool_ && to.put(value == Py_True);
    if (type == &PyBoolArrType_Type) return dtype == Dtype::bool_ && to.put(reinterpret_cast<PyBoolScalarObject*>(value)->obval != 0);
    return false;
}

namespace {

constexpr std::int64_t most_elements = 4096;  // kernels are for more

// Calls `each` with the addresses of the first elements along the last axis, and how many there are.
template <class F>
void for_lines(const Part& to, const Strides& from_strides, const char* from, std::size_t axis, char* data, F& each) {
    if (axis + 1 == to.shape.size()) return each(data, from);
    for (std::int64_t i = 0; i < to.shape[axis]; ++i) {
        for_lines(to, from_strides, from + i * from_strides[axis], axis + 1, data + i * to.strides[axis], each);
    }
}

template <std::size_t itemsize>
void copy_line(char* to, std::int64_t to_step, const char* from, std::int64_t from_step, std::int64_t count) {
    if (from_step == 0 && to_step == static_cast<std::int64_t>(itemsize)) {  // by vectors
        char element[itemsize];
        std::memcpy(element, from, itemsize);
        for (std::int64_t i = 0; i < count; ++i) std::memcpy(to + i * static_cast<std::int64_t>(itemsize), element, itemsize);
        return;
    }
    for (std::int64_t i = 0; i < count; ++i, to += to_step, from += from_step) std::memcpy(to, from, itemsize);
}

void copy_elements(const Part& to, const char* from, const Strides& from_strides, std::size_t itemsize) {
    const std::int64_t count = to.shape.back(), to_step = to.strides.back(), from_step = from_strides.back();
    const bool are_dense = to_step == static_cast<std::int64_t>(itemsize) && from_step == to_step;
    auto line = [&](char* data, const char* source) {
        if (are_dense) std::memcpy(data, source, static_cast<std::size_t>(count) * itemsize);
        else if (itemsize == 1) copy_line<1>(data, to_step, source, from_step, count);
        else if (itemsize == 2) copy_line<2>(data, to_step, source, from_step, count);
        else if (itemsize == 4) copy_line<4>(data, to_step, source, from_step, count);
        else if (itemsize == 8) copy_line<8>(data, to_step, source, from_step, count);
        else copy_line<16>(data, to_step, source, from_step, count);
    };
    for_lines(to, from_strides, from, 0, to.data, line);
}

std::int64_t count_of(const Part& part) {
    std::int64_t count = 1;
    for (const std::int64_t size : part.shape) {
        if (count > most_elements) break;
        count *= size;
    }
    return count;
}

}  // namespace

std::pair<const char*, const char*> extent(const char* data, const Shape& shape, const Strides& strides, std::size_t itemsize) {
    std::pair<const char*, const char*> found(data, data + itemsize);
    for (std::size_t i = 0; i < shape.size(); ++i) (strides[i] < 0 ? found.first : found.second) += (shape[i] - 1) * strides[i];
    return found;
}

namespace {

bool set_part(Dtype dtype, const Part& part, PyObject* value) {
    const std::size_t itemsize = itemsize_of(dtype);
    Element element;
    if (put(element, dtype, value)) {
        if (count_of(part) > most_elements) return false;
        copy_elements(part, element.data(), Strides(part.shape.size(), 0), itemsize);
        return true;
    }
    HostElements given;
    if (!is_ndarray(value) || !find(value, given) || given.dtype != dtype || *given.shape != part.shape) return false;
    if (given.data == part.data && *given.strides == part.strides) return true;  // x[i] += y
    if (count_of(part) > most_elements) return false;
    const auto to = extent(part.data, part.shape, part.strides, itemsize), from = extent(given.data, part.shape, *given.strides, itemsize);
    if (to.first < from.second && from.first < to.second) return false;
    copy_elements(part, given.data, *given.strides, itemsize);
    return true;
}

}  // namespace

PyObject* quick_copy(PyObject* self) {
    HostElements x, to;
    if (!find(self, x) || x.rank() == 0 || reinterpret_cast<NdArray*>(self)->scalar || detail::may_use_devices()) return nullptr;
    const std::int64_t count = count_of({x.data, *x.shape, {}});
    if (count == 0 || count > most_elements) return nullptr;
    const array made = array::uninitialized(x.dtype, *x.shape);
    if (!detail::find_on_host(made, to)) return nullptr;
    copy_elements({to.data, *to.shape, *to.strides}, x.data, *x.strides, itemsize_of(x.dtype));
    return wrap(made);
}

bool quick_set(PyObject* self, PyObject* key, PyObject* value) {
    HostElements x;
    if (value == nullptr || reinterpret_cast<NdArray*>(self)->scalar || !find(self, x) || !x.is_writable) return false;
    Part part;
    if (!find_part(x, key, part)) return false;
    if (!part.is_element) return set_part(x.dtype, part, value);
    Element element;
    if (!put(element, x.dtype, value)) return false;
    std::memcpy(part.data, element.bytes, itemsize_of(x.dtype));
    return true;
}

}  // namespace fastnp::python
