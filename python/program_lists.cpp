#include "program_lists.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "convert.h"
#include "fastnp/error.h"

namespace py = pybind11;

namespace fastnp::python {

namespace {

// The word of a number; nothing for a whole one of more than 64 bits.
std::optional<std::int64_t> word_of(PyObject* number, PyTypeObject* type, Dtype dtype) {
    if (type == &PyFloat_Type) return std::bit_cast<std::int64_t>(PyFloat_AS_DOUBLE(number));
    if (type == &PyBool_Type) return number == Py_True ? 1 : 0;
    if (type == &PyLong_Type) {
        int overflow = 0;
        const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
        return overflow == 0 ? std::optional<std::int64_t>(value) : std::nullopt;
    }
    if (is_floating(dtype)) {
        const Ref plain = own(PyNumber_Float(number));
        return std::bit_cast<std::int64_t>(PyFloat_AS_DOUBLE(plain.get()));
    }
    const Ref whole = own(PyNumber_Long(number));
    if (dtype == Dtype::uint64) return std::bit_cast<std::int64_t>(PyLong_AsUnsignedLongLong(whole.get()));
    return std::int64_t{PyLong_AsLongLong(whole.get())};
}

template <class T>
py::object element_scalar(T value, PyArray_Descr* descr) {
    return py::reinterpret_steal<py::object>(check(PyArray_Scalar(&value, descr, nullptr)));
}

py::object number_of(std::int64_t word, PyTypeObject* type, Dtype dtype, PyObject* given) {
    const auto made = [](PyObject* object) { return py::reinterpret_steal<py::object>(check(object)); };
    if (type == &PyFloat_Type) return made(PyFloat_FromDouble(std::bit_cast<double>(word)));
    if (type == &PyBool_Type) return made(PyBool_FromLong(static_cast<long>(word & 1)));
    if (type == &PyLong_Type) return made(PyLong_FromLongLong(word));
    auto* descr = reinterpret_cast<PyArray_Descr*>(given);
    if (dtype == Dtype::float64) return element_scalar(std::bit_cast<double>(word), descr);
    if (dtype == Dtype::float32) return element_scalar(static_cast<float>(std::bit_cast<double>(word)), descr);
    return element_scalar(word, descr);  // integers and bools, whose first bytes are the lowest
}

}  // namespace

std::optional<py::object> TableKind::array_of(PyObject* list, std::vector<PyObject*>& rows) const {
    if (PyList_GET_SIZE(list) == 0 || !PyList_CheckExact(PyList_GET_ITEM(list, 0))) return std::nullopt;
    auto* const type = reinterpret_cast<PyTypeObject*>(kind_.ptr());
    const bool is_bool = type == &PyBool_Type;
    npy_intp shape[] = {PyList_GET_SIZE(list), PyList_GET_SIZE(PyList_GET_ITEM(list, 0))};
    if (shape[1] == 0) return std::nullopt;
    PyArray_Descr* descr = PyArray_DescrFromType(is_bool ? NPY_BOOL : type == &PyFloat_Type ? NPY_FLOAT64 : NPY_INT64);
    auto made = py::reinterpret_steal<py::object>(check(PyArray_Empty(2, shape, descr, 0)));
    auto* to = static_cast<char*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(made.ptr())));
    for (npy_intp i = 0; i < shape[0]; ++i) {
        PyObject* const row = PyList_GET_ITEM(list, i);
        if (!PyList_CheckExact(row) || PyList_GET_SIZE(row) != shape[1]) return std::nullopt;
        rows.push_back(row);
        for (npy_intp k = 0; k < shape[1]; ++k) {
            PyObject* const number = PyList_GET_ITEM(row, k);
            const std::optional<std::int64_t> word = Py_TYPE(number) == type ? word_of(number, type, Dtype::int64) : std::nullopt;
            if (!word) return std::nullopt;
            const std::size_t bytes = is_bool ? 1 : sizeof(*word);  // the lowest come first
            std::memcpy(to, &*word, bytes);
            to += bytes;
        }
    }
    return made;
}

void TableKind::store(PyObject* list, PyObject* array) const {
    if (!is_written_) return;
    const auto now = py::reinterpret_steal<py::object>(check(PyArray_ToList(reinterpret_cast<PyArrayObject*>(array))));
    for (Py_ssize_t i = 0; i < std::min(PyList_GET_SIZE(list), PyList_GET_SIZE(now.ptr())); ++i) {
        const auto row = py::reinterpret_borrow<py::object>(PyList_GET_ITEM(list, i));
        store_changed(row.ptr(), PyList_GET_ITEM(now.ptr(), i));
    }
}

// Whether a number is what it was.
static bool is_same_number(PyObject* x, PyObject* y) {
    if (Py_TYPE(x) != Py_TYPE(y)) return false;
    if (PyFloat_CheckExact(x)) return std::bit_cast<std::int64_t>(PyFloat_AS_DOUBLE(x)) == std::bit_cast<std::int64_t>(PyFloat_AS_DOUBLE(y));
    return (PyLong_CheckExact(x) || PyBool_Check(x)) && PyObject_RichCompareBool(x, y, Py_EQ) == 1;
}

void store_changed(PyObject* list, PyObject* now) {
    const Py_ssize_t count = std::min(PyList_GET_SIZE(list), PyList_GET_SIZE(now));
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* const was = PyList_GET_ITEM(list, i);
        if (is_same_number(was, PyList_GET_ITEM(now, i))) check(PyList_SetItem(now, i, Py_NewRef(was)));
    }
    check(PyList_SetSlice(list, 0, PyList_GET_SIZE(list), now));
}

ListKind::ListKind(bool is_tuple, const py::list& kinds) : is_tuple_(is_tuple) {
    for (const py::handle each : kinds) {
        std::vector<Kind>& found = kinds_.emplace_back();
        for (const py::handle one : each.cast<py::list>()) {
            const auto given = py::reinterpret_borrow<py::object>(one);
            if (PyType_Check(given.ptr())) {
                found.push_back({given, reinterpret_cast<PyTypeObject*>(given.ptr()), Dtype::int64});
                continue;
            }
            const std::optional<Dtype> dtype = to_dtype(given.ptr());
            if (!dtype) throw ValueError("a list of numbers without a dtype");
            found.push_back({given, reinterpret_cast<PyArray_Descr*>(given.ptr())->typeobj, *dtype});
        }
        words_ += found.size() == 1 ? 1 : 2;
    }
}

bool ListKind::put(PyObject* number, const std::vector<Kind>& kinds, std::int64_t*& to) const {
    const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& kind) { return Py_TYPE(number) == kind.type; });
    if (found == kinds.end()) return false;
    const std::optional<std::int64_t> word = word_of(number, found->type, found->dtype);
    if (!word) return false;
    *to++ = *word;
    if (kinds.size() > 1) *to++ = found - kinds.begin();
    return true;
}

std::optional<py::object> ListKind::words_of(PyObject* list) const {
    const Py_ssize_t length = PyList_GET_SIZE(list);
    npy_intp shape[] = {length, std::max<npy_intp>(words_, 1)};
    auto made = py::reinterpret_steal<py::object>(check(PyArray_Empty(2, shape, PyArray_DescrFromType(NPY_INT64), 0)));
    auto* to = static_cast<std::int64_t*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(made.ptr())));
    for (Py_ssize_t i = 0; i < length; ++i) {
        if (i >= PyList_GET_SIZE(list)) return std::nullopt;
        const auto item = py::reinterpret_borrow<py::object>(PyList_GET_ITEM(list, i));
        if (!is_tuple_) {
            if (kinds_.size() != 1 || !put(item.ptr(), kinds_[0], to)) return std::nullopt;
            continue;
        }
        if (!PyTuple_CheckExact(item.ptr()) || static_cast<std::size_t>(PyTuple_GET_SIZE(item.ptr())) != kinds_.size()) return std::nullopt;
        for (std::size_t k = 0; k < kinds_.size(); ++k) {
            if (!put(PyTuple_GET_ITEM(item.ptr(), static_cast<Py_ssize_t>(k)), kinds_[k], to)) return std::nullopt;
        }
    }
    return made;
}

py::object ListKind::take(const std::vector<Kind>& kinds, const std::int64_t*& from) const {
    const std::int64_t word = *from++;
    const Kind& kind = kinds[kinds.size() > 1 ? static_cast<std::size_t>(*from++) : 0];
    return number_of(word, kind.type, kind.dtype, kind.given.ptr());
}

py::object ListKind::list_of(const std::int64_t* words, std::int64_t length) const {
    py::list made(static_cast<std::size_t>(length));
    for (std::int64_t i = 0; i < length; ++i) {
        if (!is_tuple_) {
            made[static_cast<std::size_t>(i)] = take(kinds_[0], words);
            continue;
        }
        py::tuple item(kinds_.size());
        for (std::size_t k = 0; k < kinds_.size(); ++k) item[k] = take(kinds_[k], words);
        made[static_cast<std::size_t>(i)] = std::move(item);
    }
    return made;
}

}  // namespace fastnp::python
