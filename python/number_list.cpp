#include "number_list.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "convert.h"
#include "fastnp/detail/size.h"
#include "ndarray.h"
#include "number.h"
#include "picking.h"
#include "size.h"

namespace fastnp::python {

PyTypeObject* number_list_type = nullptr;

namespace {

constexpr std::size_t most_places = 64;

struct NumberListObject {
    PyObject_HEAD array elements;
    NumberForm form;
    std::uint64_t place;
};

thread_local std::optional<std::uint64_t> blamed;

const NumberListObject& held(PyObject* object) { return *reinterpret_cast<NumberListObject*>(object); }

std::span<PyObject* const> items_of(PyObject* sequence) {
    return {PySequence_Fast_ITEMS(sequence), static_cast<std::size_t>(PySequence_Fast_GET_SIZE(sequence))};
}

bool is_sequence(PyObject* object) { return PyList_CheckExact(object) || PyTuple_CheckExact(object); }

// Notes which numbers there are; false for what is none. NaN may be asked for by identity.
bool add_numbers(std::span<PyObject* const> items, bool& any_int, bool& any_float) {
    for (PyObject* item : items) {
        if (PyFloat_CheckExact(item) && PyFloat_AS_DOUBLE(item) == PyFloat_AS_DOUBLE(item)) any_float = true;
        else if (small_int(item)) any_int = true;
        else return false;
    }
    return !items.empty();
}

void put(std::span<PyObject* const> items, Dtype dtype, std::byte*& to) {
    for (PyObject* item : items) {
        if (dtype == Dtype::int64) {
            const std::int64_t value = PyLong_AsLongLong(item);
            std::memcpy(to, &value, sizeof value);
        } else {
            const double value = PyFloat_CheckExact(item) ? PyFloat_AS_DOUBLE(item) : static_cast<double>(PyLong_AsLongLong(item));
            std::memcpy(to, &value, sizeof value);
        }
        to += 8;
    }
}

std::int64_t length_of(const NumberListObject& list) { return detail::symbolic_shape(list.elements)[0]; }

PyObject* part(PyObject* self, const Index& index) {
    const NumberListObject& list = held(self);
    if (list.form.is_mixed) refuse_number_list(self, "reads a number that may be an int or a float");
    array picked = list.elements.index({index});
    if (picked.ndim() != 0) return number_list(std::move(picked), {list.form.dtype, false, list.form.rows_are_tuples}, list.place);
    return list.form.dtype == Dtype::float64 ? float_object(std::move(picked)) : int_object(picked);
}

// An empty list is an array of other numbers, and so may be a part of ints and floats.
PyObject* slice(PyObject* self, PyObject* key) {
    const NumberListObject& list = held(self);
    if (list.form.is_mixed) refuse_number_list(self, "takes a part of a list of ints and floats");
    array picked = list.elements.index({slice_of(key)});
    if (!detail::size_at_least(detail::symbolic_shape(picked)[0], 1)) refuse_number_list(self, "takes no part of a list");
    return number_list(std::move(picked), list.form, list.place);
}

PyObject* item(PyObject* self, PyObject* key) {
    return guarded([&]() -> PyObject* {
        if (PySlice_Check(key)) return slice(self, key);
        const auto position = is_size(key) ? recorded_size(key) : small_int(key);
        if (!position) refuse_number_list(self, "takes an item of a list");
        const std::int64_t length = length_of(held(self));
        const bool is_there = !detail::is_symbolic(*position) && *position < 0
                                  ? detail::size_at_least(length, -*position)
                                  : detail::size_at_least(*position, 0) && !detail::size_at_least(*position, length);
        if (!is_there) refuse_number_list(self, "takes an item that a list may not have");
        return part(self, Index(*position));
    });
}

PyObject* sequence_item_of(PyObject* self, Py_ssize_t position) {
    return guarded([&] { return check(item(self, own(PyLong_FromSsize_t(position)).get())); });
}

Py_ssize_t length(PyObject* self) {
    try {
        return detail::concretize(length_of(held(self)));
    } catch (...) {
        translate();
        return -1;
    }
}

int truth(PyObject* self) {
    return guarded_int([&] { return detail::sizes_equal(length_of(held(self)), 0) ? 0 : 1; });
}

PyObject* used(PyObject* self, const char* what) {
    return guarded([&]() -> PyObject* { refuse_number_list(self, what); });
}

bool is_any_array(PyObject* object) { return is_ndarray(object) || PyArray_Check(object) || PyArray_IsScalar(object, Generic); }

// Beside an array that one knows what to do.
PyObject* operation(PyObject* a, PyObject* b) {
    if (is_any_array(a) || is_any_array(b)) return Py_NewRef(Py_NotImplemented);
    return used(is_number_list(a) ? a : b, "computes with a list");
}
PyObject* power(PyObject* a, PyObject* b, PyObject*) { return operation(a, b); }
PyObject* compare(PyObject* a, PyObject* b, int) {
    if (is_any_array(b)) return Py_NewRef(Py_NotImplemented);
    return used(a, "compares a list");
}
PyObject* single(PyObject* self) { return used(self, "computes with a list"); }
PyObject* iterate(PyObject* self) { return used(self, "goes over a list"); }
PyObject* told(PyObject* self) { return used(self, "makes text of a list"); }
Py_hash_t hash_of(PyObject* self) {
    used(self, "asks for the hash of a list");
    return -1;
}
int contains(PyObject* self, PyObject*) {
    used(self, "looks for an item of a list");
    return -1;
}
int store(PyObject* self, PyObject*, PyObject*) {
    used(self, "changes a list");
    return -1;
}

// Its class is that of what it stands for; methods are a list's.
PyObject* attribute(PyObject* self, PyObject* name) {
    if (PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, "__class__") == 0) {
        return Py_NewRef(reinterpret_cast<PyObject*>(held(self).form.is_tuple ? &PyTuple_Type : &PyList_Type));
    }
    return used(self, "calls a method of a list");
}

void deallocate(PyObject* self) {
    std::destroy_at(&reinterpret_cast<NumberListObject*>(self)->elements);
    PyTypeObject* type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

// What NumPy asks first is done with arrays in place of lists.
template <const char* name>
PyObject* protocol(PyObject*, PyObject* args, PyObject* keywords) {
    return guarded([&] { return check(PyObject_Call(import_attribute("fastnp._number_lists", name).get(), args, keywords)); });
}
constexpr char array_function_name[] = "array_function", array_ufunc_name[] = "array_ufunc";

PyObject* as_array(PyObject* self, PyObject*) {
    return guarded([&] { return wrap(number_list_elements(self)); });
}

PyCFunction with_keywords(PyObject* (*method)(PyObject*, PyObject*, PyObject*)) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(method));
}

PyMethodDef list_methods[] = {{"__array_function__", with_keywords(protocol<array_function_name>), METH_VARARGS | METH_KEYWORDS, nullptr},
                              {"__array_ufunc__", with_keywords(protocol<array_ufunc_name>), METH_VARARGS | METH_KEYWORDS, nullptr},
                              {"_elements", as_array, METH_NOARGS, nullptr},
                              {nullptr, nullptr, 0, nullptr}};

}  // namespace

std::uint64_t NumberForm::bits() const {
    const auto rows = has_rows ? static_cast<std::uint64_t>(row) + 1 : 0;
    return rows << 4 | (dtype == Dtype::float64 ? 1U : 0U) | (is_mixed ? 2U : 0U) | (is_tuple ? 4U : 0U) | (rows_are_tuples ? 8U : 0U);
}

std::optional<NumberForm> number_form(PyObject* sequence) {
    const std::span<PyObject* const> items = items_of(sequence);
    if (items.empty()) return std::nullopt;
    NumberForm form;
    form.is_tuple = PyTuple_CheckExact(sequence);
    form.has_rows = is_sequence(items[0]);
    bool any_int = false, any_float = false, is_one = true;
    if (form.has_rows) {
        form.rows_are_tuples = PyTuple_CheckExact(items[0]);
        form.row = PySequence_Fast_GET_SIZE(items[0]);
        is_one = std::ranges::all_of(items, [&](PyObject* row) {
            return Py_TYPE(row) == Py_TYPE(items[0]) && PySequence_Fast_GET_SIZE(row) == form.row && add_numbers(items_of(row), any_int, any_float);
        });
    } else {
        is_one = add_numbers(items, any_int, any_float);
    }
    form.dtype = any_float ? Dtype::float64 : Dtype::int64;
    form.is_mixed = any_float && any_int;
    return is_one ? std::optional(form) : std::nullopt;
}

array array_of_numbers(PyObject* sequence, const NumberForm& form) {
    static PyObject* function = nullptr;
    kept_attribute(function, "fastnp._number_lists", array_function_name);  // imported before a recording needs it, which the hooks of others could end
    const std::span<PyObject* const> items = items_of(sequence);
    Shape shape{static_cast<std::int64_t>(items.size())};
    if (form.has_rows) shape.push_back(form.row);
    std::vector<std::byte> bytes(8 * items.size() * static_cast<std::size_t>(form.has_rows ? form.row : 1));
    std::byte* to = bytes.data();
    if (form.has_rows) {
        for (PyObject* row : items) put(items_of(row), form.dtype, to);
    } else {
        put(items, form.dtype, to);
    }
    return array::from_elements(bytes.data(), form.dtype, shape);
}

bool NumberLists::is_array(std::uint64_t place, std::int64_t size, const NumberForm& form) {
    const auto found = seen_.find(place);
    if (found == seen_.end()) {
        if (seen_.size() < most_places) seen_.emplace(place, Seen{size, form.row});
        return false;
    }
    Seen& seen = found->second;
    seen.varies = seen.varies || seen.size != size || seen.row != form.row;
    return seen.varies && !seen.is_refused;
}

void NumberLists::refuse(std::span<const std::uint64_t> places) {
    for (const std::uint64_t place : places) seen_[place].is_refused = true;
}

PyObject* number_list(array elements, const NumberForm& form, std::uint64_t place) {
    auto* object = reinterpret_cast<NumberListObject*>(check(number_list_type->tp_alloc(number_list_type, 0)));
    new (&object->elements) array(std::move(elements));
    object->form = form;
    object->place = place;
    return reinterpret_cast<PyObject*>(object);
}

array number_list_elements(PyObject* object) { return held(object).elements.copy(); }

array number_list_elements(PyObject* object, Dtype dtype) {
    const NumberListObject& list = held(object);
    const bool all_fit = is_inexact(dtype) || dtype == Dtype::bool_ || (dtype == Dtype::int64 && list.form.dtype == Dtype::int64);
    if (!all_fit) refuse_number_list(object, "makes other numbers of a list's");
    return list.elements.astype(dtype);
}

bool is_index_list(PyObject* object) { return is_number_list(object) && !held(object).form.is_tuple && held(object).form.dtype == Dtype::int64; }

PyObject* number_list_size(PyObject* object) { return size_object(length_of(held(object))); }

// In Python's order; 0 comes first, so that no sum is -0.0. From Python 3.12 on sums of floats are more exact than that.
PyObject* number_list_sum(PyObject* object) {
    const NumberListObject& list = held(object);
    const bool are_floats = list.form.dtype == Dtype::float64;
    if (list.form.has_rows || (are_floats && PY_VERSION_HEX >= 0x030C0000)) refuse_number_list(object, "adds up a list");
    if (!are_floats) return int_object(sum(list.elements));
    return float_object(cumsum(list.elements, {.axis = 0}).index({Index(-1)}) + 0.0);
}

// The first of those that are equal.
PyObject* number_list_extreme(PyObject* object, bool largest) {
    const NumberListObject& list = held(object);
    if (list.form.has_rows || list.form.is_mixed) refuse_number_list(object, "looks for the largest or the least of a list");
    const array picked = take(list.elements, largest ? argmax(list.elements) : argmin(list.elements), 0);
    return list.form.dtype == Dtype::float64 ? float_object(picked) : int_object(picked);
}

void refuse_number_list(PyObject* object, const char* what) {
    blamed = held(object).place;
    refuse(std::string(what) + " of numbers whose length varies");
}

std::optional<std::uint64_t> take_blamed_list() { return std::exchange(blamed, std::nullopt); }

void add_number_list(PyObject* module) {
#define SLOT(name, function) {name, reinterpret_cast<void*>(function)}
    PyType_Slot slots[] = {SLOT(Py_nb_add, operation),
                           SLOT(Py_nb_subtract, operation),
                           SLOT(Py_nb_multiply, operation),
                           SLOT(Py_nb_matrix_multiply, operation),
                           SLOT(Py_nb_true_divide, operation),
                           SLOT(Py_nb_floor_divide, operation),
                           SLOT(Py_nb_remainder, operation),
                           SLOT(Py_nb_divmod, operation),
                           SLOT(Py_nb_lshift, operation),
                           SLOT(Py_nb_rshift, operation),
                           SLOT(Py_nb_and, operation),
                           SLOT(Py_nb_or, operation),
                           SLOT(Py_nb_xor, operation),
                           SLOT(Py_nb_power, power),
                           SLOT(Py_nb_negative, single),
                           SLOT(Py_nb_positive, single),
                           SLOT(Py_nb_absolute, single),
                           SLOT(Py_nb_invert, single),
                           SLOT(Py_nb_bool, truth),
                           SLOT(Py_mp_subscript, item),
                           SLOT(Py_mp_ass_subscript, store),
                           SLOT(Py_mp_length, length),
                           SLOT(Py_sq_length, length),
                           SLOT(Py_sq_item, sequence_item_of),
                           SLOT(Py_sq_contains, contains),
                           SLOT(Py_tp_iter, iterate),
                           SLOT(Py_tp_hash, hash_of),
                           SLOT(Py_tp_richcompare, compare),
                           SLOT(Py_tp_repr, told),
                           SLOT(Py_tp_str, told),
                           SLOT(Py_tp_getattro, attribute),
                           SLOT(Py_tp_dealloc, deallocate),
                           {Py_tp_methods, list_methods},
                           {0, nullptr}};
#undef SLOT
    constexpr unsigned flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_SEQUENCE;  // of `match`
    PyType_Spec spec = {"fastnp._core._NumberList", sizeof(NumberListObject), 0, flags, slots};
    number_list_type = add_type(module, "_NumberList", spec);
}

}  // namespace fastnp::python
