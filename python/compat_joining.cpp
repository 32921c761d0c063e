// Bodies of compat_joining.def.
#include "fastnp/numpy_compat/joining.h"

#include "compat.h"
#include "fastnp/detail/layout.h"
#include "float_errors.h"
#include "number_list.h"
#include "picking.h"

namespace fastnp::python {

using compat::is_elsewhere;
using compat::to_number;

PyObject* append_body(PyObject** v) {
    refuse_bool(v[2], "an integer is required for the axis");
    return bound<append_signature>(&fastnp::append, v);
}

namespace {

// Elements as numpy.array(values, dtype=dtype) has them.
array in_dtype(PyObject* values, Dtype dtype) {
    note_lost_parts(values, dtype);
    const Operand given = to_assigned(values, dtype);
    if (const array* x = given.as_array()) return x->dtype() == dtype ? *x : x->astype(dtype);
    return elements_of(values, dtype);
}

bool is_index(PyObject* object) {
    if (PyBool_Check(object) || PyArray_Check(object)) return false;
    return is_ndarray(object) ? recorded_size(object).has_value() : PyIndex_Check(object) != 0;
}

// Indices or a mask, as numpy.asarray has them.
array to_places(PyObject* object) {
    if (PyList_Check(object) && PyList_GET_SIZE(object) == 0 && !is_number_list(object)) return array(std::vector<std::int64_t>());
    return to_array(object);
}

// A list, or an array of NumPy's, whose elements are known while recording: the places that it names.
std::optional<std::vector<std::int64_t>> known_places(PyObject* object) {
    if (is_ndarray(object) || !is_plain(object) || (!PyList_Check(object) && !PyTuple_Check(object))) return std::nullopt;
    const Ref places = own(PyArray_FromAny(object, nullptr, 0, 1, 0, nullptr));
    PyArrayObject* const plain = as_numpy(places.get());
    if (PyArray_NDIM(plain) != 1 || !(PyArray_ISINTEGER(plain) || PyArray_SIZE(plain) == 0)) return std::nullopt;
    return compat::to_numbers(own(PySequence_List(places.get())).get());
}

}  // namespace

PyObject* insert_body(PyObject** v) {
    const array x = to_array(v[0]);
    const std::optional<int> axis = to_axis(v[3]);
    if (is_index(v[1])) {
        const std::int64_t place = to_number(v[1]);
        return wrap(insert(x, place, in_dtype(v[2], x.dtype()), axis));
    }
    if (PySlice_Check(v[1]) || PyBool_Check(v[1])) throw NeedsNumpy{};
    const array places = to_places(v[1]);
    const bool is_mask_list = places.dtype() == Dtype::bool_ && !is_ndarray(v[1]) && !PyArray_Check(v[1]);
    if (places.dtype() != Dtype::bool_ && !is_integer(places.dtype())) throw NeedsNumpy{};  // for the error
    if (compat::is_mapped(places)) throw NeedsNumpy{};
    if (is_mask_list || compat::may_leave(x, places)) throw NeedsNumpy{};
    return wrap(insert(x, places, in_dtype(v[2], x.dtype()), axis));
}

PyObject* delete_body(PyObject** v) {
    const array x = to_array(v[0]);
    const std::optional<int> axis = to_axis(v[2]);
    if (PySlice_Check(v[1])) return wrap(delete_at(x, slice_of(v[1]), axis));
    if (is_index(v[1])) return wrap(delete_at(x, to_number(v[1]), axis));
    if (PyBool_Check(v[1])) throw NeedsNumpy{};
    if (compat::may_leave(x)) {
        if (!is_ndarray(v[1]) || !is_elsewhere(value_of(v[1]))) throw NeedsNumpy{};
    }
    if (const auto places = known_places(v[1])) return wrap(delete_at(x, *places, axis));
    const array places = to_places(v[1]);
    if (compat::is_mapped(places)) throw NeedsNumpy{};
    return wrap(delete_at(x, places, axis));
}

PyObject* dstack_body(PyObject** v) {
    if (PySequence_Check(v[0]) == 0) raise(PyExc_TypeError, "arrays to stack must be passed as a \"sequence\" type such as list or tuple.");
    const Ref items = own(PySequence_Tuple(v[0]));
    return wrap(dstack(compat::to_items(items.get())));
}

namespace {

// Errors of what is no block are NumPy's, which says where it is.
Blocks to_blocks(PyObject* object, const Nesting* outer = nullptr) {
    if (PyTuple_Check(object)) throw NeedsNumpy{};
    if (!PyList_Check(object)) return to_array(object);
    const Nesting here{object, outer};
    if (PyList_GET_SIZE(object) == 0 || !here.is_array_like()) throw NeedsNumpy{};
    std::vector<Blocks> list;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(object); ++i) list.push_back(to_blocks(PyList_GET_ITEM(object, i), &here));
    return list;
}

int depth_of(const Blocks& blocks) {
    if (blocks.as_array() != nullptr) return 0;
    const int depth = depth_of(blocks.list()[0]);
    for (const Blocks& each : blocks.list()) {
        if (depth_of(each) != depth) throw NeedsNumpy{};
    }
    return depth + 1;
}

}  // namespace

PyObject* block_body(PyObject** v) {
    const Blocks blocks = to_blocks(v[0]);
    (void)depth_of(blocks);
    return wrap(block(blocks));
}

}  // namespace fastnp::python
