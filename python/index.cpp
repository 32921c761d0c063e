// x[...] and x[...] = y, after the short ways of elements.h and picks.h. Basic subscripts (integers, slices, None, Ellipsis) are views (copies with an
// array of no axes among them) and one array of integers is take(); every other advanced subscript goes to NumPy on a view of the same memory and is
// counted as a fallback, but in recordings and of what is on a device.
#include <algorithm>

#include "compat.h"
#include "elements.h"
#include "fastnp/detail/layout.h"
#include "fastnp/detail/memory.h"
#include "fastnp/detail/size.h"
#include "float_errors.h"
#include "ndarray.h"
#include "overrides.h"
#include "picking.h"
#include "picks.h"
#include "size.h"
#include "sizes_read.h"
#include "tape.h"

namespace fastnp::python {

Slice slice_of(PyObject* item) {
    const auto* slice = reinterpret_cast<PySliceObject*>(item);
    const auto number_of = [](PyObject* value) -> std::optional<std::int64_t> {
        if (value == Py_None) return std::nullopt;
        Py_ssize_t number = 0;
        if (_PyEval_SliceIndex(value, &number) == 0) throw PythonError{};
        constexpr Py_ssize_t most = Py_ssize_t{1} << 61;  // beyond any array, and below what symbolic sizes look like
        return std::clamp(number, -most, most);
    };
    const auto bound = [&](PyObject* value) -> std::optional<std::int64_t> {
        if (const auto size = recorded_size(value); size && detail::size_at_least(*size, 0)) return size;
        return number_of(value);
    };
    const std::optional<std::int64_t> step = number_of(slice->step);  // it is a number of the program's, whatever it is made of
    if (step == 0) raise(PyExc_ValueError, "slice step cannot be zero");
    return {bound(slice->start), bound(slice->stop), step.value_or(1)};
}

namespace {

using Indices = SmallVector<Index, 8>;

std::span<const Index> all_of(const Indices& indices) { return {indices.data(), indices.size()}; }

// A position that is no symbolic size, nor is after a sign is taken away.
std::int64_t number(Py_ssize_t position) {
    constexpr std::int64_t far = std::int64_t{1} << 62;
    if (position > -far && position < far) return position;
    PyErr_Format(PyExc_IndexError, "index %zd is out of bounds: no axis is as long", position);
    throw PythonError{};
}

// Whether it is an array, and not what stands for a scalar of NumPy's: as a subscript it has NumPy copy what is picked, even where it has no axes.
bool is_array_index(PyObject* item) { return is_ndarray(item) ? !reinterpret_cast<NdArray*>(item)->scalar : PyArray_Check(item) != 0; }

bool has_array_index(PyObject* key) {
    if (!PyTuple_Check(key)) return is_array_index(key);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i) {
        if (is_array_index(PyTuple_GET_ITEM(key, i))) return true;
    }
    return false;
}

// Appends one entry of a subscript; false where it is an advanced one.
bool append(Indices& indices, PyObject* item) {
    if (PyLong_CheckExact(item)) {
        const Py_ssize_t position = PyLong_AsSsize_t(item);
        if (position == -1 && PyErr_Occurred() != nullptr) {
            PyErr_Clear();  // NumPy has the words
            return false;
        }
        indices.push_back(number(position));
        return true;
    }
    if (is_size(item) && detail::size_at_least(size_of(item), 0)) {
        indices.push_back(size_of(item));
        return true;
    }
    if (PySlice_Check(item)) {
        indices.push_back(slice_of(item));
        return true;
    }
    if (item == Py_None) {
        indices.push_back(newaxis);
        return true;
    }
    if (item == Py_Ellipsis) {
        indices.push_back(ellipsis);
        return true;
    }
    if (PyBool_Check(item) || PyList_Check(item) || PyTuple_Check(item) || PyArray_IsScalar(item, Bool)) return false;
    if (is_ndarray(item)) {
        const array& index = value_of(item);
        if (index.ndim() != 0 || !is_integer(index.dtype()) || records()) return false;
    } else if (PyArray_Check(item)) {
        if (PyArray_NDIM(as_numpy(item)) != 0 || !PyArray_ISINTEGER(as_numpy(item))) return false;
    } else if (!PyIndex_Check(item)) {
        return false;
    }
    const Py_ssize_t position = PyNumber_AsSsize_t(item, PyExc_IndexError);
    if (position == -1 && PyErr_Occurred() != nullptr) throw PythonError{};
    indices.push_back(number(position));
    return true;
}

constexpr Py_ssize_t most_indices = 32;  // with more there may be too many axes, which NumPy tells

bool parse(Indices& indices, PyObject* key) {
    if (!PyTuple_Check(key)) return append(indices, key);
    if (PyTuple_GET_SIZE(key) > most_indices) return false;
    try {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i) {
            if (!append(indices, PyTuple_GET_ITEM(key, i))) return false;
        }
    } catch (const PythonError&) {  // of a slice: NumPy may find another part wrong first
        if (records() || PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw;
        PyErr_Clear();
        return false;
    }
    return true;
}

// Whether a subscript of integers alone picks one element, which NumPy returns as a scalar.
bool is_element(const Indices& indices, const array& value) {
    if (static_cast<int>(indices.size()) != value.ndim()) return false;
    for (const Index& index : indices) {
        if (!std::holds_alternative<std::int64_t>(index)) return false;
    }
    return true;
}

bool is_integer_array(PyObject* key) {
    if (is_ndarray(key)) return is_integer(value_of(key).dtype());
    return PyArray_CheckExact(key) && PyArray_ISINTEGER(as_numpy(key)) && shares_memory(as_numpy(key));
}

// Whether an axis has no elements: indices into it are wrong in other words than those of take().
bool has_none(const array& value, int axis) {
    if (!records()) return value.shape(axis) == 0;
    return are_equal(detail::symbolic_shape(value)[static_cast<std::size_t>(axis)], 0);
}

// x[i] and x[:, i] with one array of integers, or, in a recording or on a device, one mask.
std::optional<array> take_rows(const array& value, PyObject* key) {
    if (is_integer_array(key)) {
        constexpr int most_axes = 64;
        if (has_none(value, 0)) return std::nullopt;
        const array index = to_array(key);
        if (value.ndim() - 1 + index.ndim() > most_axes) return std::nullopt;  // which NumPy refuses
        const array taken = detail::picked_along(value, index, 0);
        // Where NumPy gives a view this is a copy: not one to write to.
        return index.ndim() == 0 && taken.ndim() > 0 && records() && !is_array_index(key) ? detail::read_only(taken) : taken;
    }
    const bool takes_masks = records() || detail::is_at_device(value);
    const auto known_mask = [takes_masks](PyObject* item) { return takes_masks ? mask_of(item) : std::nullopt; };
    if (const std::optional<array> mask = known_mask(key)) return get_masked(value, *mask);
    if (!PyTuple_Check(key) || PyTuple_GET_SIZE(key) > value.ndim()) return std::nullopt;
    std::optional<int> axis;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i) {
        PyObject* item = PyTuple_GET_ITEM(key, i);
        const std::optional<array> mask = known_mask(item);
        if (is_integer_array(item) || (mask && mask->ndim() == 1)) {
            if (axis) return std::nullopt;
            axis = static_cast<int>(i);
        } else if (!PySlice_Check(item) || reinterpret_cast<PySliceObject*>(item)->start != Py_None ||
                   reinterpret_cast<PySliceObject*>(item)->stop != Py_None || reinterpret_cast<PySliceObject*>(item)->step != Py_None) {
            return std::nullopt;
        }
    }
    if (!axis || *axis >= value.ndim()) return std::nullopt;
    PyObject* chosen = PyTuple_GET_ITEM(key, *axis);
    const std::optional<array> mask = known_mask(chosen);
    if (!mask) return has_none(value, *axis) ? std::nullopt : std::optional(detail::picked_along(value, to_array(chosen), *axis));
    if (!are_equal(detail::symbolic_shape(*mask)[0], detail::symbolic_shape(value)[static_cast<std::size_t>(*axis)])) return std::nullopt;
    return detail::masked_along(value, *mask, *axis);
}

// The same with any arrays of integers and masks. What is wrong with a subscript is for NumPy to say, but in a recording.
std::optional<array> get_picked(const array& value, PyObject* key) {
    const bool is_here = !compat::is_elsewhere(value);
    std::optional<Picking> picking;
    try {
        picking = picking_of(value, key);
    } catch (const NeedsNumpy&) {
        if (!is_here) throw;
    } catch (const Error&) {
        if (!is_here) throw;
    }
    if (!picking || (is_here && (picking->are_plain || !picking->is_usual()))) return std::nullopt;  // NumPy may give a view
    try {
        const array picked = picking->in_place(pick(picking->x, picking->indices));
        return picking->are_plain && picked.ndim() > 0 && !has_array_index(key) ? detail::read_only(picked) : picked;
    } catch (const IndexError&) {
        if (records()) throw;
    } catch (const ValueError&) {
        if (records()) throw;
    }
    return std::nullopt;
}

// The key with views for fastnp's arrays.
Ref numpy_key(PyObject* key) {
    if (is_ndarray(key)) return own(readable_view(key, "a subscript"));
    if (!PyTuple_Check(key)) return Ref::borrow(key);
    Ref converted = own(PyTuple_New(PyTuple_GET_SIZE(key)));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i) PyTuple_SET_ITEM(converted.get(), i, numpy_key(PyTuple_GET_ITEM(key, i)).release());
    return converted;
}

PyObject* view_of(PyObject* self, array value) {
    auto* object = reinterpret_cast<NdArray*>(self);
    if (object->scalar) return wrap(value.copy());  // a NumPy scalar lends its memory to nobody
    return wrap(std::move(value), object->base != nullptr ? object->base : self);
}

PyObject* get_advanced(PyObject* self, PyObject* key) {
    const array& value = value_of(self);
    if (value.ndim() > 0) {
        try {
            if (std::optional<array> taken = take_rows(value, key)) return wrap_scalar(std::move(*taken));
        } catch (const IndexError&) {
            if (compat::is_elsewhere(value)) throw;  // else NumPy says which index, in the order in which it looks at them
        }
        if (const auto picked = get_picked(value, key)) return wrap_scalar(*picked);
    }
    const Ref view = records() ? Ref::borrow(self) : own(readable_view(self, "a subscript"));
    const Ref plain = records() ? Ref::borrow(key) : numpy_key(key);
    PyObject* args[] = {view.get(), plain.get()};
    return call_numpy("ndarray.__getitem__", args, 2, nullptr);
}

}  // namespace

std::optional<array> basic_view(const array& x, PyObject* key) {
    Indices indices;
    if (!parse(indices, key)) return std::nullopt;
    return x.index(all_of(indices));
}

// One element; of an array on a device a copy.
static PyObject* element_of(array picked) { return wrap_scalar(detail::is_at_device(picked) ? picked.copy() : std::move(picked)); }

PyObject* get_item(PyObject* self, PyObject* key) {
    return guarded([&]() -> PyObject* {
        if (PyObject* found = quick_item(self, key)) return found;
        if (PyObject* found = quick_pick(self, key)) return found;
        Indices indices;
        if (!parse(indices, key)) return get_advanced(self, key);
        const array& value = value_of(self);
        const bool element = is_element(indices, value);
        array picked = value.index(all_of(indices));
        if (element) return element_of(std::move(picked));
        return has_array_index(key) ? wrap(picked.copy(Order::keep)) : view_of(self, std::move(picked));
    });
}

PyObject* sequence_item(PyObject* self, Py_ssize_t position) {
    try {
        if (PyObject* const found = quick_item_at(self, position)) return found;
    } catch (...) {  // whatever it is becomes an exception of Python
        translate();
        return nullptr;
    }
    if (PyErr_Occurred() != nullptr) return nullptr;  // it goes no further
    return guarded([&]() -> PyObject* {
        const Index index(static_cast<std::int64_t>(position));
        const array& value = value_of(self);
        if (recording != nullptr && value.ndim() > 0 && detail::is_symbolic(detail::symbolic_shape(value)[0])) note_size_read();  // it goes over the array
        array picked = value.index(std::span<const Index>(&index, 1));
        return value.ndim() == 1 ? element_of(std::move(picked)) : view_of(self, std::move(picked));
    });
}

// What a single element is set to: no array with axes, but a bool is set to the truth of one with one element.
static Operand element_operand(PyObject* value, Dtype dtype) {
    Operand operand = to_assigned(value, dtype, single_element);
    const array* elements = operand.as_array();
    if (elements == nullptr || elements->ndim() == 0 || (dtype == Dtype::bool_ && elements->size() == 1)) return operand;
    if (is_complex(dtype)) raise(PyExc_TypeError, "only 0-dimensional arrays can be converted to Python scalars");
    raise(PyExc_ValueError, "setting an array element with a sequence.");
}

// Whether nothing can be said of values that elements of that dtype are set to: they are not converted, or are numbers that fit.
static bool are_as_elements(PyObject* value, Dtype dtype) {
    if (is_ndarray(value)) return value_of(value).dtype() == dtype;
    if (PyArray_CheckExact(value)) return dtype_of_descr(PyArray_DESCR(as_numpy(value))) == dtype;
    Element element;
    return put(element, dtype, value);
}

// Outside of recordings. What is wrong with a subscript or a value is for NumPy to say; nothing was written then.
static bool try_to_set(const array& target, PyObject* key, PyObject* value) {
    if (!detail::is_at_device(target) && !are_as_elements(value, target.dtype())) return false;
    try {
        return set_picked(target, key, value);
    } catch (const IndexError&) {
        return false;
    } catch (const ValueError&) {
        return false;
    } catch (const TypeError&) {
        return false;
    } catch (const OverflowError&) {
        return false;
    } catch (const NeedsNumpy&) {
        return false;
    }
}

void fill_with(PyObject* self, PyObject* value) {
    if (!is_ndarray(value) && quick_set(self, Py_Ellipsis, value)) return;
    if (is_ndarray(value)) (void)value_of(value);  // which may be on the tape
    prepare_write(self);
    if (!is_known(value) && overrides(value)) throw NeedsNumpy{};
    array whole = value_of(self).index({Index(ellipsis)});
    const std::optional<array> size = is_size(value) ? size_as_array(value, whole.dtype()) : std::nullopt;
    const Operand element = size ? Operand(*size) : element_operand(value, whole.dtype());
    expect_to_fit(value, whole.dtype());
    detail::clear_float_flags();
    const array target = whole;
    if (may_journal()) note_assignment(target, value);
    std::move(whole) = element;
    look_at_assignment(target, value);
}

// In a recording, of a value that decides itself what becomes of it.
static void refuse_assigned(PyObject* value) {
    const Ref refuse = import_attribute("fastnp._fallback", "refuse_assigned");
    own(PyObject_CallOneArg(refuse.get(), value));
}

int set_item(PyObject* self, PyObject* key, PyObject* value) {
    return guarded_int([&] {
        if (quick_set(self, key, value) || quick_put(self, key, value)) return 0;
        if (value == nullptr) raise(PyExc_ValueError, "cannot delete array elements");
        if (reinterpret_cast<NdArray*>(self)->scalar) {
            raise(PyExc_TypeError, ("'numpy." + std::string(name_of(value_of(self).dtype())) + "' object does not support item assignment").c_str());
        }
        if (is_ndarray(value)) (void)value_of(value);  // which may be on the tape
        prepare_write(self);
        Indices indices;
        const bool is_asked = !is_known(value) && overrides(value);  // NumPy asks it for its elements
        if (!is_asked && parse(indices, key)) {
            try {
                array part = value_of(self).index(all_of(indices));
                const std::optional<array> size = is_size(value) ? size_as_array(value, part.dtype()) : std::nullopt;
                const Operand values = size                                  ? Operand(*size)
                                       : is_element(indices, value_of(self)) ? element_operand(value, part.dtype())
                                                                             : to_assigned(value, part.dtype(), part.ndim());
                expect_to_fit(value, part.dtype());
                detail::clear_float_flags();
                const array target = part;
                if (may_journal()) note_assignment(target, value);
                std::move(part) = values;
                look_at_assignment(target, value);
                return 0;
            } catch (const NeedsNumpy&) {
            } catch (const IndexError&) {
                if (!value_of(self).writable()) raise(PyExc_ValueError, "assignment destination is read-only");  // which NumPy looks at first
                throw;
            }
        }
        detail::clear_float_flags();
        if (is_asked && records()) {
            refuse_assigned(value);
            return 0;
        }
        if (!is_asked && (records() ? set_picked(value_of(self), key, value) : try_to_set(value_of(self), key, value))) {
            look_at_assignment(value_of(self), value);
            return 0;
        }
        if (records()) refuse("writing to a part of an array that a mask, a list or an array picks");
        const Ref view = own(readable_view(self, "a subscript"));
        const Ref plain = numpy_key(key);
        const Ref values = is_ndarray(value) ? own(readable_view(value, "an assignment")) : Ref::borrow(value);
        PyObject* args[] = {view.get(), plain.get(), values.get()};
        Py_DECREF(call_numpy("ndarray.__setitem__", args, 3, nullptr));
        return 0;
    });
}

}  // namespace fastnp::python
