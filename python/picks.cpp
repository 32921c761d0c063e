#include "picks.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "convert.h"
#include "elements.h"

namespace fastnp::python {

namespace {

constexpr std::size_t most_indices = 32;  // arrays of indices; NumPy refuses some more

using detail::Line;

constexpr std::int64_t most_elements = 1 << 15;  // kernels, and NumPy's, are for more

// An array of fastnp's or of NumPy's, read alone.
struct Given {
    const char* data = nullptr;
    Shape shape;
    std::optional<Dtype> dtype;
    bool is_in_a_row = false;
};

bool lie_in_a_row(const Shape& shape, const Strides& strides, std::size_t itemsize) {
    auto step = static_cast<std::int64_t>(itemsize);
    for (std::size_t i = shape.size(); i-- > 0;) {
        if (shape[i] != 1 && strides[i] != step) return false;
        step *= shape[i];
    }
    return true;
}

bool find_given(PyObject* object, Given& given) {
    if (is_ndarray(object)) {
        HostElements x;
        if (reinterpret_cast<NdArray*>(object)->scalar || !find(object, x)) return false;
        given = {x.data, *x.shape, x.dtype, lie_in_a_row(*x.shape, *x.strides, itemsize_of(x.dtype))};
        return true;
    }
    if (!PyArray_CheckExact(object) || !PyArray_ISALIGNED(as_numpy(object))) return false;
    PyArrayObject* const array = as_numpy(object);
    given = {PyArray_BYTES(array), Shape(std::span<const std::int64_t>(PyArray_DIMS(array), static_cast<std::size_t>(PyArray_NDIM(array)))),
             dtype_of_descr(PyArray_DESCR(array)), PyArray_IS_C_CONTIGUOUS(array) != 0};
    return true;
}

bool has_c_steps(const HostElements& x) {
    auto step = static_cast<std::int64_t>(itemsize_of(x.dtype));
    for (std::size_t i = x.rank(); i-- > 0;) {
        if ((*x.strides)[i] != step) return false;
        step *= (*x.shape)[i];
    }
    return true;
}

// All elements of an array as a line, if they lie at equal steps in its order.
std::optional<Line> line_of(const HostElements& x) {
    const std::size_t itemsize = itemsize_of(x.dtype);
    if (x.rank() == 1) return Line{x.data, x.shape->front(), x.strides->front(), itemsize};
    if (!lie_in_a_row(*x.shape, *x.strides, itemsize)) return std::nullopt;
    const std::int64_t count = std::accumulate(x.shape->begin(), x.shape->end(), std::int64_t{1}, std::multiplies<>());
    return Line{x.data, count, static_cast<std::int64_t>(itemsize), itemsize};
}

// A mask over all of the elements, which lie in a line.
struct Mask {
    const char* data = nullptr;
    Line line{};
};

std::optional<Mask> find_mask(const HostElements& x, PyObject* key) {
    Given given;
    if (PyTuple_Check(key) || PyList_Check(key) || !find_given(key, given) || given.dtype != Dtype::bool_) return std::nullopt;
    if (!given.is_in_a_row || given.shape != *x.shape || given.shape.empty()) return std::nullopt;
    const std::optional<Line> line = line_of(x);
    if (!line || line->size > most_elements) return std::nullopt;
    return Mask{given.data, *line};
}

// Places along a line: of elements, or of rows that are taken as they lie.
struct Places {
    std::vector<std::int64_t> own;  // of a list, or of several arrays
    const std::int64_t* data = nullptr;
    std::int64_t count = 0;
    Line line{};
    Shape rest;  // of a row
};

constexpr Py_ssize_t most_items = 256;

// An array of int64 with one axis, or a list of ints; nothing for what is no place on that axis, too.
bool find_integers(PyObject* item, std::int64_t size, Places& found) {
    if (PyList_CheckExact(item)) {
        const Py_ssize_t count = PyList_GET_SIZE(item);
        if (count == 0 || count > most_items) return false;
        for (Py_ssize_t i = 0; i < count; ++i) {
            PyObject* const each = PyList_GET_ITEM(item, i);
            int overflow = 0;
            if (!PyLong_CheckExact(each)) return false;
            found.own.push_back(PyLong_AsLongLongAndOverflow(each, &overflow));
            if (overflow != 0) return false;
        }
        found.data = found.own.data();
        found.count = count;
    } else {
        Given given;
        if (!find_given(item, given) || given.dtype != Dtype::int64 || given.shape.size() != 1 || !given.is_in_a_row) return false;
        found.data = reinterpret_cast<const std::int64_t*>(given.data);
        found.count = given.shape[0];
    }
    return found.count <= most_elements && detail::are_places(found.data, found.count, size);
}

// x[i, j]: places in all of its elements.
bool find_crossing(const HostElements& x, PyObject* key, Places& found) {
    const auto line = line_of(x);
    if (!line || x.rank() < 2 || x.rank() > most_indices || static_cast<std::size_t>(PyTuple_GET_SIZE(key)) != x.rank()) return false;
    found.line = *line;
    for (std::size_t axis = 0; axis < x.rank(); ++axis) {
        Places one;
        const std::int64_t size = (*x.shape)[axis];
        if (!find_integers(PyTuple_GET_ITEM(key, static_cast<Py_ssize_t>(axis)), size, one)) return false;
        if (axis == 0) found.own.assign(static_cast<std::size_t>(one.count), 0);
        if (static_cast<std::size_t>(one.count) != found.own.size()) return false;
        for (std::size_t i = 0; i < found.own.size(); ++i) found.own[i] = found.own[i] * size + one.data[i] + (one.data[i] < 0 ? size : 0);
    }
    found.data = found.own.data();
    found.count = static_cast<std::int64_t>(found.own.size());
    return true;
}

bool find_places(const HostElements& x, PyObject* key, Places& found) {
    if (x.rank() == 0) return false;
    if (PyTuple_CheckExact(key)) return find_crossing(x, key, found);
    if (!find_integers(key, x.shape->front(), found)) return false;
    const std::size_t itemsize = itemsize_of(x.dtype);
    found.line = {x.data, x.shape->front(), x.strides->front(), itemsize};
    if (x.rank() == 1) return true;
    if (!has_c_steps(x)) return false;  // rows of axes of one element lie by their steps, too
    found.rest = Shape(x.shape->begin() + 1, x.shape->end());
    const std::int64_t length = std::accumulate(found.rest.begin(), found.rest.end(), std::int64_t{1}, std::multiplies<>());
    found.line.itemsize = static_cast<std::size_t>(length) * itemsize;
    return length > 0 && length * found.count <= most_elements;
}

PyObject* pick_mask(const HostElements& x, const Mask& mask) {
    const std::int64_t count = detail::count_true(mask.data, mask.line.size);
    const array made = array::uninitialized(x.dtype, Shape{count});
    HostElements to;
    if (!detail::find_on_host(made, to)) return nullptr;
    detail::take_masked(mask.line, mask.data, to.data, count);
    return wrap(made);
}

// What elements are set to: as many, at a step, or one for all; in memory that is not that of what is set.
struct Source {
    Element element;
    const char* data = nullptr;
    std::int64_t step = 0;
};

bool find_source(const HostElements& x, PyObject* value, std::int64_t count, Source& source) {
    if (put(source.element, x.dtype, value)) {
        source.data = source.element.data();
        return true;
    }
    HostElements given;
    if (!is_ndarray(value) || !find(value, given) || given.dtype != x.dtype || given.rank() != 1 || given.shape->front() != count || count == 0)
        return false;
    const std::size_t itemsize = itemsize_of(x.dtype);
    const auto to = extent(x.data, *x.shape, *x.strides, itemsize), from = extent(given.data, *given.shape, *given.strides, itemsize);
    if (to.first < from.second && from.first < to.second) return false;
    source.data = given.data;
    source.step = given.strides->front();
    return true;
}

// Whether the memory of what is set is that of the subscript, too.
bool holds(const HostElements& x, const void* data, std::int64_t bytes) {
    const auto to = extent(x.data, *x.shape, *x.strides, itemsize_of(x.dtype));
    const auto* const first = static_cast<const char*>(data);
    return to.first < first + bytes && first < to.second;
}

bool has_elements(const HostElements& x) {
    return std::none_of(x.shape->begin(), x.shape->end(), [](std::int64_t size) { return size == 0; });
}

}  // namespace

PyObject* quick_pick(PyObject* self, PyObject* key) {
    HostElements x;
    if (reinterpret_cast<NdArray*>(self)->scalar || !find(self, x) || !has_elements(x) || detail::may_use_devices()) return nullptr;
    if (const auto mask = find_mask(x, key)) return pick_mask(x, *mask);
    Places places;
    if (!find_places(x, key, places)) return nullptr;
    Shape shape{places.count};
    for (const std::int64_t size : places.rest) shape.push_back(size);
    const array made = array::uninitialized(x.dtype, shape);
    HostElements to;
    if (!detail::find_on_host(made, to)) return nullptr;
    detail::take_places(places.line, places.data, places.count, to.data);
    return wrap(made);
}

bool quick_put(PyObject* self, PyObject* key, PyObject* value) {
    HostElements x;
    if (value == nullptr || reinterpret_cast<NdArray*>(self)->scalar || !find(self, x) || !x.is_writable || !has_elements(x)) return false;
    Source source;
    if (const auto mask = find_mask(x, key)) {
        if (holds(x, mask->data, mask->line.size)) return false;
        const bool is_one = put(source.element, x.dtype, value);
        if (!find_source(x, value, is_one ? 0 : detail::count_true(mask->data, mask->line.size), source)) return false;
        detail::put_masked(mask->line, mask->data, source.data, source.step);
        return true;
    }
    Places places;
    if (!find_places(x, key, places) || !places.rest.empty() || holds(x, places.data, places.count * 8)) return false;
    if (!find_source(x, value, places.count, source)) return false;
    detail::put_places(places.line, places.data, places.count, source.data, source.step);
    return true;
}

}  // namespace fastnp::python
