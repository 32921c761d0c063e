#include "picking.h"

#include "convert.h"
#include "size.h"

namespace fastnp::python {

namespace {

bool is_full_slice(PyObject* item) {
    if (!PySlice_Check(item)) return false;
    const auto* slice = reinterpret_cast<PySliceObject*>(item);
    return slice->start == Py_None && slice->stop == Py_None && slice->step == Py_None;
}

// An array of integers, or a list of ints. (Outside of recordings those without axes are plain indices.)
std::optional<array> integers(PyObject* item) {
    if (is_ndarray(item)) {
        if (!is_integer(value_of(item).dtype())) return std::nullopt;
        return value_of(item);
    }
    if (PyArray_CheckExact(item) ? PyArray_NDIM(as_numpy(item)) == 0 || !PyArray_ISINTEGER(as_numpy(item)) : !PyList_CheckExact(item)) return std::nullopt;
    if (PyList_CheckExact(item)) {
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(item); ++i) {
            if (!PyLong_CheckExact(PyList_GET_ITEM(item, i))) return std::nullopt;
        }
        if (PyList_GET_SIZE(item) == 0) return std::nullopt;
    }
    return to_array(item);
}

// x[mask] = value: one value for all, or one for each.
bool set_by_mask(const array& target, PyObject* key, PyObject* value) {
    const std::optional<array> mask = mask_of(key);
    if (!mask || mask->ndim() > target.ndim()) return false;
    const Operand operand = to_operand(value);
    const array* elements = operand.as_array();
    const int further = target.ndim() - mask->ndim();
    if (elements == nullptr || elements->ndim() <= further) {
        set_where(target, *mask, operand);
        return true;
    }
    if (elements->ndim() != further + 1) return false;
    set_masked(target, *mask, *elements);
    return true;
}

}  // namespace

std::optional<array> mask_of(PyObject* key) {
    if (PyArray_CheckExact(key) && PyArray_TYPE(as_numpy(key)) == NPY_BOOL && PyArray_NDIM(as_numpy(key)) > 0) return to_array(key);
    if (!is_ndarray(key) || value_of(key).dtype() != Dtype::bool_ || value_of(key).ndim() == 0) return std::nullopt;
    return value_of(key);
}

std::vector<array> integer_arrays(PyObject* key) {
    if (const auto one = integers(key)) return {*one};
    if (!PyTuple_Check(key) || PyTuple_GET_SIZE(key) < 1) return {};
    std::vector<array> all;
    bool any = false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i) {
        PyObject* item = PyTuple_GET_ITEM(key, i);
        const bool is_plain = PyLong_CheckExact(item) || is_size(item);
        const auto each = is_plain ? std::optional(to_array(item)) : integers(item);
        if (!each) return {};
        any = any || !is_plain;
        all.push_back(*each);
    }
    return any ? all : std::vector<array>();
}

bool set_picked(const array& target, PyObject* key, PyObject* value) {
    if (set_by_mask(target, key, value)) return true;
    const std::vector<array> indices = integer_arrays(key);
    if (!indices.empty() && static_cast<int>(indices.size()) <= target.ndim()) {
        set_at(target, indices, to_operand(value));
        return true;
    }
    // x[:, i]: the axis in front.
    if (!PyTuple_Check(key) || PyTuple_GET_SIZE(key) > target.ndim()) return false;
    std::optional<array> index;
    int axis = 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i) {
        PyObject* item = PyTuple_GET_ITEM(key, i);
        if (is_full_slice(item)) continue;
        if (index) return false;
        index = integers(item);
        if (!index || index->ndim() != 1) return false;
        axis = static_cast<int>(i);
    }
    const Operand operand = to_operand(value);
    const array* elements = operand.as_array();
    if (!index || (elements != nullptr && elements->ndim() != 0 && elements->ndim() != target.ndim())) return false;
    set_at(moveaxis(target, axis, 0), {*index}, elements != nullptr && elements->ndim() != 0 ? Operand(moveaxis(*elements, axis, 0)) : operand);
    return true;
}

}  // namespace fastnp::python
