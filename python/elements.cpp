#include "elements.h"

#include <numpy/arrayscalars.h>

#include <cfloat>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <utility>

#include "convert.h"
#include "fastnp/detail/elements.h"

namespace fastnp::python {

namespace {

template <class Object>
PyObject* made_scalar(PyTypeObject& type, const void* element) {
    PyObject* made = check(type.tp_alloc(&type, 0));
    std::memcpy(&reinterpret_cast<Object*>(made)->obval, element, sizeof(Object::obval));
    return made;
}

// What an int or an int64 of NumPy's names on an axis.
bool to_position(PyObject* item, std::int64_t size, std::int64_t& position) {
    if (PyLong_CheckExact(item)) {
        int overflow = 0;
        position = PyLong_AsLongLongAndOverflow(item, &overflow);
        if (overflow != 0) return false;
    } else if (Py_TYPE(item) == &PyInt64ArrType_Type) {
        position = reinterpret_cast<PyInt64ScalarObject*>(item)->obval;
    } else {
        return false;
    }
    if (position < 0) position += size;
    return position >= 0 && position < size;
}

bool is_bound(PyObject* bound) { return bound == Py_None || PyLong_CheckExact(bound); }

}  // namespace

bool find(PyObject* self, HostElements& x) {
    const auto* object = reinterpret_cast<NdArray*>(self);
    return recording == nullptr && object->taped == nullptr && detail::find_on_host(object->value, x);
}

bool Part::take_axis(PyObject* item, std::int64_t size, std::int64_t stride) {
    std::int64_t position = 0;
    if (to_position(item, size, position)) {
        data += position * stride;
        return true;
    }
    if (!PySlice_Check(item)) return false;
    const auto* slice = reinterpret_cast<PySliceObject*>(item);
    if (!is_bound(slice->start) || !is_bound(slice->stop) || !is_bound(slice->step)) return false;
    Py_ssize_t start = 0, stop = 0, step = 0;
    if (PySlice_Unpack(item, &start, &stop, &step) < 0) {
        PyErr_Clear();
        return false;
    }
    constexpr Py_ssize_t far = std::numeric_limits<std::int32_t>::max();
    const Py_ssize_t length = PySlice_AdjustIndices(size, &start, &stop, step);
    if (length == 0 || step > far || step < -far) return false;
    data += start * stride;
    put(length, step * stride);
    return true;
}

namespace {

struct Key {
    PyObject* const* items;
    std::size_t count;
    std::size_t taken;  // axes
    bool has_ellipsis = false;
};

// False where there are more entries than axes, or several ellipses.
bool read_key(PyObject* const& key, std::size_t rank, Key& found) {
    const bool is_tuple = PyTuple_CheckExact(key) != 0;
    found.items = is_tuple ? reinterpret_cast<PyTupleObject*>(key)->ob_item : &key;
    found.count = found.taken = is_tuple ? static_cast<std::size_t>(PyTuple_GET_SIZE(key)) : 1;
    for (std::size_t i = 0; i < found.count; ++i) {
        if (found.items[i] == Py_None) --found.taken;
        if (found.items[i] != Py_Ellipsis) continue;
        if (found.has_ellipsis) return false;
        found.has_ellipsis = true;
        --found.taken;
    }
    constexpr std::size_t most = 32;
    return found.count > 0 && found.count <= most && found.taken <= rank;
}

}  // namespace

bool find_part(const HostElements& x, PyObject* const& key, Part& part) {
    Key entries;
    if (!read_key(key, x.rank(), entries)) return false;
    part.data = x.data;
    std::size_t axis = 0;
    const auto take_whole = [&](std::size_t end) {
        for (; axis < end; ++axis) {
            if (!part.put((*x.shape)[axis], (*x.strides)[axis])) return false;
        }
        return true;
    };
    for (std::size_t i = 0; i < entries.count; ++i) {
        PyObject* const item = entries.items[i];
        if (item == Py_None) {
            part.put(1, 0);
        } else if (item == Py_Ellipsis) {
            if (!take_whole(axis + x.rank() - entries.taken)) return false;
        } else {
            if (!part.take_axis(item, (*x.shape)[axis], (*x.strides)[axis])) return false;
            ++axis;
        }
    }
    if (!take_whole(x.rank())) return false;
    part.is_element = part.shape.empty() && !entries.has_ellipsis;
    return part.is_element || !part.shape.empty();
}

namespace {

PyObject* view_of(PyObject* self, const Part& part) {
    auto* object = reinterpret_cast<NdArray*>(self);
    return wrap(detail::view_at(object->value, part.data, part.shape, part.strides), object->base != nullptr ? object->base : self);
}

}  // namespace

PyObject* scalar_at(Dtype dtype, const void* element) {
    switch (dtype) {
        case Dtype::bool_: return Py_NewRef(PyArrayScalar_FromLong(*static_cast<const std::uint8_t*>(element) != 0));
        case Dtype::int8: return made_scalar<PyInt8ScalarObject>(PyInt8ArrType_Type, element);
        case Dtype::uint8: return made_scalar<PyUInt8ScalarObject>(PyUInt8ArrType_Type, element);
        case Dtype::int16: return made_scalar<PyInt16ScalarObject>(PyInt16ArrType_Type, element);
        case Dtype::uint16: return made_scalar<PyUInt16ScalarObject>(PyUInt16ArrType_Type, element);
        case Dtype::int32: return made_scalar<PyInt32ScalarObject>(PyInt32ArrType_Type, element);
        case Dtype::uint32: return made_scalar<PyUInt32ScalarObject>(PyUInt32ArrType_Type, element);
        case Dtype::int64: return made_scalar<PyInt64ScalarObject>(PyInt64ArrType_Type, element);
        case Dtype::uint64: return made_scalar<PyUInt64ScalarObject>(PyUInt64ArrType_Type, element);
        case Dtype::float16: return made_scalar<PyHalfScalarObject>(PyHalfArrType_Type, element);
        case Dtype::float32: return made_scalar<PyFloatScalarObject>(PyFloatArrType_Type, element);
        case Dtype::float64: return made_scalar<PyDoubleScalarObject>(PyDoubleArrType_Type, element);
        case Dtype::complex64: return made_scalar<PyCFloatScalarObject>(PyCFloatArrType_Type, element);
        case Dtype::complex128: return made_scalar<PyCDoubleScalarObject>(PyCDoubleArrType_Type, element);
        default: return nullptr;
    }
}

namespace {

template <class T>
T load(const void* element) {
    T value;
    std::memcpy(&value, element, sizeof value);
    return value;
}

bool has_numbers(Dtype dtype) { return dtype != Dtype::float16 && dtype != Dtype::bfloat16; }

PyObject* number_at(Dtype dtype, const void* element) {
    switch (dtype) {
        case Dtype::bool_: return PyBool_FromLong(load<std::uint8_t>(element));
        case Dtype::int8: return PyLong_FromLong(load<std::int8_t>(element));
        case Dtype::uint8: return PyLong_FromLong(load<std::uint8_t>(element));
        case Dtype::int16: return PyLong_FromLong(load<std::int16_t>(element));
        case Dtype::uint16: return PyLong_FromLong(load<std::uint16_t>(element));
        case Dtype::int32: return PyLong_FromLong(load<std::int32_t>(element));
        case Dtype::uint32: return PyLong_FromLongLong(load<std::uint32_t>(element));
        case Dtype::int64: return PyLong_FromLongLong(load<std::int64_t>(element));
        case Dtype::uint64: return PyLong_FromUnsignedLongLong(load<std::uint64_t>(element));
        case Dtype::float32: return PyFloat_FromDouble(static_cast<double>(load<float>(element)));
        case Dtype::float64: return PyFloat_FromDouble(load<double>(element));
        case Dtype::complex64: {
            const auto value = load<std::complex<float>>(element);
            return PyComplex_FromDoubles(static_cast<double>(value.real()), static_cast<double>(value.imag()));
        }
        case Dtype::complex128: {
            const auto value = load<std::complex<double>>(element);
            return PyComplex_FromDoubles(value.real(), value.imag());
        }
        default: throw InternalError("elements of a dtype that are no numbers of Python's");
    }
}

Ref list_at(const HostElements& x, std::size_t axis, const char* data) {
    if (axis == x.rank()) return own(number_at(x.dtype, data));
    const std::int64_t size = (*x.shape)[axis], step = (*x.strides)[axis];
    Ref list = own(PyList_New(size));
    for (std::int64_t i = 0; i < size; ++i) PyList_SET_ITEM(list.get(), i, list_at(x, axis + 1, data + i * step).release());
    return list;
}

}  // namespace

PyObject* quick_number(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
    HostElements x;
    if (nargs > 1 || !find(self, x) || !has_numbers(x.dtype)) return nullptr;
    std::int64_t position = 0;
    if (nargs == 1) {
        const bool is_found = x.rank() == 1 && to_position(args[0], x.shape->front(), position);
        return is_found ? check(number_at(x.dtype, x.data + position * x.strides->front())) : nullptr;
    }
    for (const std::int64_t size : *x.shape) {
        if (size != 1) return nullptr;
    }
    return check(number_at(x.dtype, x.data));
}

PyObject* quick_list(PyObject* self) {
    HostElements x;
    return find(self, x) && has_numbers(x.dtype) ? list_at(x, 0, x.data).release() : nullptr;
}

PyObject* quick_float(PyObject* self) {
    HostElements x;
    if (!find(self, x) || x.rank() != 0) return nullptr;
    if (x.dtype == Dtype::float64) return check(PyFloat_FromDouble(load<double>(x.data)));
    if (x.dtype == Dtype::int64) return check(PyFloat_FromDouble(static_cast<double>(load<std::int64_t>(x.data))));
    return nullptr;
}

PyObject* quick_item(PyObject* self, PyObject* key) {
    HostElements x;
    if (!find(self, x)) return nullptr;
    std::int64_t position = 0;
    if (x.rank() == 1 && to_position(key, (*x.shape)[0], position)) return scalar_at(x.dtype, x.data + position * (*x.strides)[0]);
    Part part;
    if (!find_part(x, key, part)) return nullptr;
    if (part.is_element) return scalar_at(x.dtype, part.data);
    return reinterpret_cast<NdArray*>(self)->scalar ? nullptr : view_of(self, part);
}

PyObject* quick_item_at(PyObject* self, Py_ssize_t position) {
    HostElements x;
    if (!find(self, x) || x.rank() == 0 || reinterpret_cast<NdArray*>(self)->scalar) return nullptr;
    const std::int64_t size = x.shape->front();
    if (position < 0 || position >= size) return PyErr_Format(PyExc_IndexError, "index %zd is out of bounds for axis 0 with size %zd", position, size);
    char* const data = x.data + position * x.strides->front();
    if (x.rank() == 1) return scalar_at(x.dtype, data);
    Part part{data, {}, {}};
    bool has_elements = true;
    for (std::size_t i = 1; i < x.rank(); ++i) has_elements = part.put((*x.shape)[i], (*x.strides)[i]) && has_elements;
    return has_elements ? view_of(self, part) : nullptr;
}

PyObject* quick_transposed(PyObject* self) {
    HostElements x;
    if (!find(self, x) || reinterpret_cast<NdArray*>(self)->scalar) return nullptr;
    Part part{x.data, {}, {}};
    for (std::size_t i = x.rank(); i-- > 0;) part.put((*x.shape)[i], (*x.strides)[i]);
    return view_of(self, part);
}

namespace {

// Elements that lie one after the other, as an array of another shape.
PyObject* view_in(PyObject* self, const HostElements& x, const Shape& shape) {
    Part part{x.data, shape, Strides(shape.size())};
    auto step = static_cast<std::int64_t>(itemsize_of(x.dtype));
    for (std::size_t i = shape.size(); i-- > 0;) {
        part.strides[i] = step;
        step *= shape[i];
    }
    return view_of(self, part);
}

// How many, of elements one after the other; 0: they are not, or are none.
std::int64_t count_in_a_row(const HostElements& x) {
    const auto itemsize = static_cast<std::int64_t>(itemsize_of(x.dtype));
    std::int64_t count = 1;
    for (std::size_t i = x.rank(); i-- > 0;) {
        const std::int64_t size = (*x.shape)[i];
        if (size != 1 && (*x.strides)[i] != count * itemsize) return 0;
        count *= size;
    }
    return count;
}

}  // namespace

PyObject* quick_flat(PyObject* self) {
    HostElements x;
    if (!is_ndarray(self) || !find(self, x) || reinterpret_cast<NdArray*>(self)->scalar) return nullptr;
    const std::int64_t count = count_in_a_row(x);
    return count == 0 ? nullptr : view_in(self, x, Shape{count});
}

PyObject* quick_reshaped(PyObject* self, PyObject* const* sizes, Py_ssize_t rank) {
    HostElements x;
    if (!is_ndarray(self) || !find(self, x) || reinterpret_cast<NdArray*>(self)->scalar) return nullptr;
    if (rank == 1 && (PyTuple_CheckExact(sizes[0]) || PyList_CheckExact(sizes[0]))) {
        return quick_reshaped(self, PySequence_Fast_ITEMS(sizes[0]), PySequence_Fast_GET_SIZE(sizes[0]));
    }
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    Shape shape;
    std::int64_t known = 1, open = -1;
    for (Py_ssize_t i = 0; i < rank; ++i) {
        if (!PyLong_CheckExact(sizes[i])) return nullptr;
        int overflow = 0;
        const long long size = PyLong_AsLongLongAndOverflow(sizes[i], &overflow);
        if (overflow != 0 || size == 0 || size < -1 || size > most || (size == -1 && open >= 0)) return nullptr;
        if (size == -1) open = i;
        else known *= size;
        if (known > most) return nullptr;
        shape.push_back(size);
    }
    if (shape == *x.shape) return view_of(self, {x.data, shape, *x.strides});  // whatever its steps are
    const std::int64_t count = count_in_a_row(x);
    if (count == 0 || rank == 0) return nullptr;
    if (open >= 0) shape[static_cast<std::size_t>(open)] = count / known;
    return (open >= 0 ? count % known == 0 : known == count) ? view_in(self, x, shape) : nullptr;
}

}  // namespace fastnp::python
