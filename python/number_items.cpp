#include "number_items.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "numpy_api.h"

#include <numpy/arrayscalars.h>

namespace fastnp::python {

namespace {

enum class Kind : std::uint8_t { none, boolean, integer, floating, other };

std::optional<std::span<PyObject* const>> items_of(PyObject* object) {
    if (!PyList_CheckExact(object) && !PyTuple_CheckExact(object)) return std::nullopt;
    return std::span<PyObject* const>(PySequence_Fast_ITEMS(object), static_cast<std::size_t>(PySequence_Fast_GET_SIZE(object)));
}

Kind kind_of_item(PyObject* item) {
    PyTypeObject* const type = Py_TYPE(item);
    if (type == &PyFloat_Type || type == &PyDoubleArrType_Type) return Kind::floating;
    if (type == &PyLong_Type || type == &PyInt64ArrType_Type) return Kind::integer;
    return type == &PyBool_Type ? Kind::boolean : Kind::other;
}

// The kind of all numbers: of ints and floats that of floats; bools beside others are none.
Kind kind_of_row(std::span<PyObject* const> row, Kind so_far) {
    for (PyObject* item : row) {
        const Kind kind = kind_of_item(item);
        if (so_far == Kind::none) so_far = kind;
        else if (kind != so_far) so_far = kind == Kind::boolean || so_far == Kind::boolean ? Kind::other : std::max(kind, so_far);
        if (so_far == Kind::other) break;
    }
    return so_far;
}

double float_of(PyObject* item) {
    if (PyFloat_Check(item)) return PyFloat_AS_DOUBLE(item);  // NumPy's float64 is one
    return static_cast<double>(PyLong_CheckExact(item) ? PyLong_AsLongLong(item) : reinterpret_cast<PyInt64ScalarObject*>(item)->obval);
}

// False for an int that is too large.
bool put_row(std::span<PyObject* const> row, Kind kind, Dtype dtype, char* to) {
    for (std::size_t i = 0; i < row.size(); ++i) {
        std::int64_t whole = 0;
        if (kind == Kind::integer || PyLong_CheckExact(row[i])) {
            int overflow = 0;
            whole = PyLong_CheckExact(row[i]) ? PyLong_AsLongLongAndOverflow(row[i], &overflow) : reinterpret_cast<PyInt64ScalarObject*>(row[i])->obval;
            if (overflow != 0) return false;
        }
        if (dtype == Dtype::bool_) {
            to[i] = static_cast<char>(row[i] == Py_True);
        } else if (dtype == Dtype::int64) {
            std::memcpy(to + i * sizeof whole, &whole, sizeof whole);
        } else {
            const double number = float_of(row[i]);
            std::memcpy(to + i * sizeof number, &number, sizeof number);
        }
    }
    return true;
}

std::optional<Dtype> dtype_for(Kind kind, std::optional<Dtype> wanted) {
    if (kind == Kind::floating && wanted.value_or(Dtype::float64) == Dtype::float64) return Dtype::float64;
    if (kind == Kind::integer && (wanted.value_or(Dtype::int64) == Dtype::int64 || wanted == Dtype::float64)) return wanted.value_or(Dtype::int64);
    if (kind == Kind::boolean && wanted.value_or(Dtype::bool_) == Dtype::bool_) return Dtype::bool_;
    return std::nullopt;
}

}  // namespace

namespace {

std::optional<array> array_of_number(PyObject* object, std::optional<Dtype> dtype) {
    const bool is_number = PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyBool_Check(object);
    const std::optional<Dtype> made_of = is_number ? dtype_for(kind_of_item(object), dtype) : std::nullopt;
    if (!made_of) return std::nullopt;
    array made = array::uninitialized(*made_of, Shape{});
    const bool fits = put_row({&object, 1}, kind_of_item(object), *made_of, static_cast<char*>(made.data()));
    return fits ? std::optional(std::move(made)) : std::nullopt;
}

}  // namespace

std::optional<array> array_of_items(PyObject* object, std::optional<Dtype> dtype) {
    const auto items = items_of(object);
    if (!items) return array_of_number(object, dtype);
    if (items->empty()) return std::nullopt;
    const auto first = items_of((*items)[0]);
    const std::size_t rows = first ? items->size() : 1, length = first ? first->size() : items->size();
    const auto row = [&](std::size_t i) { return first ? items_of((*items)[i]) : items; };
    Kind kind = Kind::none;
    for (std::size_t i = 0; i < rows; ++i) {
        const auto found = row(i);
        if (!found || found->size() != length) return std::nullopt;
        kind = kind_of_row(*found, kind);
    }
    const std::optional<Dtype> made_of = dtype_for(kind, dtype);
    if (!made_of) return std::nullopt;
    Shape shape;
    if (first) shape.push_back(static_cast<std::int64_t>(rows));
    shape.push_back(static_cast<std::int64_t>(length));
    array made = array::uninitialized(*made_of, shape);
    auto* const to = static_cast<char*>(made.data());
    for (std::size_t i = 0; i < rows; ++i) {
        if (!put_row(*row(i), kind, *made_of, to + i * length * itemsize_of(*made_of))) return std::nullopt;
    }
    return made;
}

}  // namespace fastnp::python
