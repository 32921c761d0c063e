// Guards of compiled functions: see guards.h.
#include "guards.h"

#include "convert.h"
#include "dict_version.h"

#include <algorithm>
#include <cmath>

#include "numpy_api.h"

namespace fastnp::python {

namespace {

std::uint64_t next_generation = 1;  // under the GIL; never used twice, so a dropped set's entries can't be taken for another's

PyTypeObject* slot_class() {
    static PyObject* type = nullptr;
    kept_attribute(type, "fastnp._capture", "Slot");
    return reinterpret_cast<PyTypeObject*>(type);
}

// In place of an object that the guards don't keep alive: a weak reference.
bool is_weak(PyObject* expected) {
    static PyObject* type = nullptr;
    kept_attribute(type, "fastnp._reads", "Weak");
    return reinterpret_cast<PyObject*>(Py_TYPE(expected)) == type;
}

// The number of a slot, or -1 for any other expected value.
Py_ssize_t slot_number(PyObject* expected) {
    if (expected == nullptr || Py_TYPE(expected) != slot_class()) return -1;
    return PyLong_AsSsize_t(own(PyObject_GetAttrString(expected, "number")).get());
}

// What a check of guards finds on its way: the arrays in the slots.
struct Found {
    const std::vector<PyTypeObject*>& types;
    SlotArrays& arrays;
    bool by_identity;

    bool takes(Py_ssize_t slot, PyObject* object) {
        const auto number = static_cast<std::size_t>(slot);
        if (Py_TYPE(object) != types[number]) return false;
        if (PyFloat_CheckExact(object) && std::isnan(PyFloat_AS_DOUBLE(object))) return false;  // it is told by which object it is
        if (!arrays[number]) arrays[number] = Ref::borrow(object);
        return arrays[number].get() == object;
    }

    bool same(PyObject* object, PyObject* expected) const {
        if (object == expected) return true;
        return is_weak(expected) ? object == PyWeakref_GET_OBJECT(expected) : !by_identity && is_same(object, expected);
    }

    bool fits(PyObject* object, PyObject* expected) {
        if (object == expected) return true;
        const Py_ssize_t slot = slot_number(expected);
        return slot < 0 ? same(object, expected) : takes(slot, object);
    }
};

bool same_items(PyObject* list, PyObject* expected, Found& found) {
    const Py_ssize_t size = PyList_GET_SIZE(list);
    if (size != PyTuple_GET_SIZE(expected)) return false;
    for (Py_ssize_t i = 0; i < size; ++i) {
        if (!found.fits(PyList_GET_ITEM(list, i), PyTuple_GET_ITEM(expected, i))) return false;
    }
    return true;
}

bool same_dict(PyObject* dict, PyObject* expected, Found& found) {
    if (PyDict_GET_SIZE(dict) * 2 != PyTuple_GET_SIZE(expected)) return false;
    Py_ssize_t position = 0, at = 0;
    PyObject *key = nullptr, *value = nullptr;
    while (PyDict_Next(dict, &position, &key, &value) != 0) {
        if (!found.same(key, PyTuple_GET_ITEM(expected, at)) || !found.fits(value, PyTuple_GET_ITEM(expected, at + 1))) return false;
        at += 2;
    }
    return true;
}

// The same elements in the same order, which depends on how the set came about.
bool same_set(PyObject* set, PyObject* expected, const Found& found) {
    if (PySet_GET_SIZE(set) != PyTuple_GET_SIZE(expected)) return false;
    const Ref iterator = own(PyObject_GetIter(set));
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(expected); ++at) {
        const Ref element(PyIter_Next(iterator.get()));
        if (!element || !found.same(element.get(), PyTuple_GET_ITEM(expected, at))) return false;
    }
    return true;
}

// The names are interned: others are as good as another name.
bool has_names(PyObject* dict, PyObject* expected) {
    if (PyDict_GET_SIZE(dict) != PyTuple_GET_SIZE(expected)) return false;
    Py_ssize_t position = 0, at = 0;
    PyObject *name = nullptr, *value = nullptr;
    while (PyDict_Next(dict, &position, &name, &value) != 0) {
        if (name != PyTuple_GET_ITEM(expected, at++)) return false;
    }
    return true;
}

bool is_special(PyObject* name) {
    return PyUnicode_Check(name) && PyUnicode_GET_LENGTH(name) > 4 && PyUnicode_READ_CHAR(name, 0) == '_' && PyUnicode_READ_CHAR(name, 1) == '_';
}

// Whether of the names that the function may read (all, if `read` is None) those are there that were.
bool has_names_read(PyObject* dict, PyObject* present, PyObject* read) {
    Py_ssize_t position = 0, found = 0;
    PyObject *name = nullptr, *value = nullptr;
    while (PyDict_Next(dict, &position, &name, &value) != 0) {
        if (read != Py_None && !is_special(name) && PySet_Contains(read, name) != 1) continue;
        if (PySet_Contains(present, name) != 1) return false;
        ++found;
    }
    return found == PySet_GET_SIZE(present);
}

// Whether an object has the attributes that it had. What was looked at is compared by pointers the next time.
bool has_same_names(Guard& guard) {
    PyObject** const place = _PyObject_GetDictPtr(guard.holder.get());
    PyObject* dict = place == nullptr ? nullptr : *place;
    const bool was_empty = guard.key.get() == Py_None;
    if (dict == nullptr || PyDict_GET_SIZE(dict) == 0) return was_empty;
    if (!was_empty && dict != guard.key.get()) return false;
    if (guard.names && has_names(dict, guard.names.get())) return true;
    if (!has_names_read(dict, PyTuple_GET_ITEM(guard.expected.get(), 0), PyTuple_GET_ITEM(guard.expected.get(), 1))) return false;
    guard.names = own(PySequence_Tuple(dict));
    return true;
}

// `expected`: the classes that it inherits from, itself among them, the names read of each, or None, and all names read. Python gives a class another
// version with each change.
bool has_shape(Guard& guard) {
    auto* type = reinterpret_cast<PyTypeObject*>(guard.holder.get());
    PyObject* bases = PyTuple_GET_ITEM(guard.expected.get(), 0);
    PyObject* present = PyTuple_GET_ITEM(guard.expected.get(), 1);
    if (PyTuple_GET_SIZE(type->tp_mro) != PyTuple_GET_SIZE(bases)) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(bases); ++i) {
        PyObject* base = PyTuple_GET_ITEM(bases, i);
        if (PyTuple_GET_ITEM(type->tp_mro, i) != base) return false;
        PyObject* names = PyTuple_GET_ITEM(present, i);
        if (names == Py_None) continue;
        if (!has_names_read(reinterpret_cast<PyTypeObject*>(base)->tp_dict, names, PyTuple_GET_ITEM(guard.expected.get(), 2))) return false;
    }
    return true;
}

// Its class has not changed since all guards held: what they compare in it needs no look.
bool is_known(const Guard& guard) {
    const auto* type = reinterpret_cast<PyTypeObject*>(guard.holder.get());
    return guard.version != 0 && type->tp_version_tag == guard.version;
}

unsigned version_of(PyTypeObject* type) {
    static PyObject* any_name = PyUnicode_InternFromString("__doc__");
    (void)_PyType_Lookup(type, any_name);  // has it numbered
    return type->tp_version_tag;
}

bool has_attribute(const Guard& guard, Found& found) {
    const Ref value(PyObject_GetAttr(guard.holder.get(), guard.key.get()));
    if (!value) PyErr_Clear();
    if (!value || !guard.expected) return !value && !guard.expected;
    return found.fits(value.get(), guard.expected.get());
}

bool is_still_subclass(const Guard& guard) {
    const int answer = PyObject_IsSubclass(guard.holder.get(), guard.key.get());
    if (answer < 0) PyErr_Clear();
    return answer == static_cast<int>(guard.expected.get() == Py_True);
}

bool has_value(const Guard& guard) {
    PyObject* value = nullptr;
    if (PyContextVar_Get(guard.holder.get(), nullptr, &value) < 0) PyErr_Clear();
    const Ref held(value);
    return value == guard.expected.get();
}

bool has_own_names(Guard& guard, const Found& found) {
    PyObject* const dict = guard.holder.get();
    const std::uint64_t version = version_of_dict(dict);
    if (version != 0 && version == guard.dict_version) return true;
    PyObject* const expected = guard.expected.get();
    for (Py_ssize_t i = 0; i + 1 < PyTuple_GET_SIZE(expected); i += 2) {
        PyObject* const value = PyDict_GetItemWithError(dict, PyTuple_GET_ITEM(expected, i));
        PyObject* const before = PyTuple_GET_ITEM(expected, i + 1);
        if (value == nullptr ? before != Py_Ellipsis : !found.same(value, before)) return false;
    }
    guard.dict_version = version;
    return true;
}

bool holds(Guard& guard, Found& found) {
    PyObject* holder = guard.holder.get();
    PyObject* current = nullptr;
    switch (guard.kind) {
        case GuardKind::dict_item: current = PyDict_GetItemWithError(holder, guard.key.get()); break;
        case GuardKind::cell: current = PyCell_GET(holder); break;
        case GuardKind::type_attribute: current = _PyType_Lookup(reinterpret_cast<PyTypeObject*>(holder), guard.key.get()); break;
        case GuardKind::list_items: return same_items(holder, guard.expected.get(), found);
        case GuardKind::dict_items: return same_dict(holder, guard.expected.get(), found);
        case GuardKind::set_items: return same_set(holder, guard.expected.get(), found);
        case GuardKind::class_shape: return has_shape(guard);
        case GuardKind::attribute: return has_attribute(guard, found);
        case GuardKind::subclass: return is_still_subclass(guard);
        case GuardKind::context: return has_value(guard);
        case GuardKind::own_names: return has_own_names(guard, found);
        case GuardKind::names: return has_same_names(guard);
        case GuardKind::array: current = holder; break;
        case GuardKind::known: return true;
        case GuardKind::code: current = PyFunction_GET_CODE(holder); break;
        case GuardKind::defaults: current = PyFunction_GET_DEFAULTS(holder); break;
        case GuardKind::keyword_defaults: current = PyFunction_GET_KW_DEFAULTS(holder); break;
        case GuardKind::instance_dict: {
            if (PyWeakref_Check(holder) != 0) holder = PyWeakref_GET_OBJECT(holder);
            if (reinterpret_cast<PyObject*>(Py_TYPE(holder)) != guard.key.get()) return false;
            PyObject** dict = _PyObject_GetDictPtr(holder);
            current = dict == nullptr ? nullptr : *dict;
            break;
        }
    }
    if (guard.slot >= 0) return current != nullptr && found.takes(guard.slot, current);
    if (current == guard.expected.get()) return true;
    if (current == nullptr || !guard.expected || !found.same(current, guard.expected.get())) return false;
    if (!is_weak(guard.expected.get())) guard.expected = Ref::borrow(current);  // equal, so the next check is of pointers again
    return true;
}

}  // namespace

namespace {

// The same number, zeros of different sign told apart. A NaN is in a container that this very object lies in, so that another one isn't the same.
bool is_same_float(double a, double b) { return a == b && std::signbit(a) == std::signbit(b); }

}  // namespace

bool is_same(PyObject* a, PyObject* b, int depth) {
    constexpr int deepest = 64;
    if (a == b) return true;
    if (Py_TYPE(a) != Py_TYPE(b)) return false;
    if (PyFloat_CheckExact(a)) return is_same_float(PyFloat_AS_DOUBLE(a), PyFloat_AS_DOUBLE(b));
    if (PyComplex_CheckExact(a)) {
        const Py_complex x = PyComplex_AsCComplex(a), y = PyComplex_AsCComplex(b);
        return is_same_float(x.real, y.real) && is_same_float(x.imag, y.imag);
    }
    if (PyLong_CheckExact(a) || PyUnicode_CheckExact(a) || PyBytes_CheckExact(a)) return PyObject_RichCompareBool(a, b, Py_EQ) == 1;
    if (PyTuple_CheckExact(a) && depth < deepest) {
        if (PyTuple_GET_SIZE(a) != PyTuple_GET_SIZE(b)) return false;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(a); ++i) {
            if (!is_same(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i), depth + 1)) return false;
        }
        return true;
    }
    return false;
}

static bool is_nan(PyObject* number) {
    const Py_complex value = PyComplex_AsCComplex(number);
    return std::isnan(value.real) || std::isnan(value.imag);
}

static void collect_nans(PyObject* expected, std::vector<PyObject*>& nans, int depth = 0) {
    constexpr int deepest = 8;
    if (expected == nullptr || depth > deepest) return;
    const bool is_number = PyFloat_CheckExact(expected) || PyComplex_CheckExact(expected);
    if (is_number && is_nan(expected)) nans.push_back(expected);
    if (!PyTuple_CheckExact(expected)) return;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(expected); ++i) collect_nans(PyTuple_GET_ITEM(expected, i), nans, depth + 1);
}

GuardSet::GuardSet(Ref capture, std::span<PyObject* const> roots) : capture_(std::move(capture)), generation_(next_generation++) {
    for (PyObject* root : roots) {
        PyObject* weak = PyWeakref_NewRef(root, nullptr);
        if (weak == nullptr) PyErr_Clear();
        roots_.push_back(weak != nullptr ? Root{Ref(weak), true} : Root{Ref::borrow(root), false});
    }
    const Ref entries = own(PyObject_GetAttrString(capture_.get(), "entries"));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(entries.get()); ++i) {
        PyObject* entry = PyList_GET_ITEM(entries.get(), i);
        const auto kind = static_cast<GuardKind>(PyLong_AsLong(PyTuple_GET_ITEM(entry, 0)));
        PyObject* expected = PyTuple_GET_SIZE(entry) > 3 ? PyTuple_GET_ITEM(entry, 3) : nullptr;
        guards_.push_back(
            {kind, Ref::borrow(PyTuple_GET_ITEM(entry, 1)), Ref::borrow(PyTuple_GET_ITEM(entry, 2)), Ref::borrow(expected), slot_number(expected)});
    }
    for (const Guard& guard : guards_) collect_nans(guard.expected.get(), nans_);
    const Ref types = own(PyObject_CallMethod(capture_.get(), "slot_types", nullptr));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(types.get()); ++i) {
        slot_types_.push_back(reinterpret_cast<PyTypeObject*>(PyList_GET_ITEM(types.get(), i)));
    }
    const Ref reason = own(PyObject_GetAttrString(capture_.get(), "reason"));
    if (reason.get() != Py_None) reason_ = PyUnicode_AsUTF8(reason.get());
    is_plain_numpy_ = is_true(own(PyObject_GetAttrString(capture_.get(), "is_plain_numpy")).get());
    by_identity_ = is_true(own(PyObject_GetAttrString(capture_.get(), "asks_identity")).get());
}

bool GuardSet::holds(std::span<PyObject* const> roots, SlotArrays& arrays) {
    arrays.assign(slot_types_.size(), Ref());
    Found found{slot_types_, arrays, by_identity_};
    if (roots.size() != roots_.size()) return false;
    for (std::size_t i = 0; i < roots.size(); ++i) {
        PyObject* held = roots_[i].object.get();
        if ((roots_[i].weak ? PyWeakref_GET_OBJECT(held) : held) != roots[i]) return false;
    }
    const Guard* known = nullptr;  // the class whose attributes need no look
    bool any_new = false;
    for (Guard& guard : guards_) {
        if (guard.kind == GuardKind::class_shape) {
            known = is_known(guard) ? &guard : nullptr;
            if (known != nullptr) continue;
            any_new = true;
        } else if (known != nullptr && guard.kind == GuardKind::type_attribute && guard.slot < 0 && guard.holder.get() == known->holder.get()) {
            continue;
        }
        if (!python::holds(guard, found)) return false;
    }
    if (any_new) note_versions();
    return true;
}

void GuardSet::note_versions() {
    for (Guard& guard : guards_) {
        if (guard.kind == GuardKind::class_shape) guard.version = version_of(reinterpret_cast<PyTypeObject*>(guard.holder.get()));
    }
}

bool GuardSet::guards(PyObject* container) const {
    return std::any_of(guards_.begin(), guards_.end(), [&](const Guard& guard) { return guard.holder.get() == container; });
}

bool GuardSet::is_dead() const {
    for (const Root& root : roots_) {
        if (root.weak && PyWeakref_GET_OBJECT(root.object.get()) == Py_None) return true;
    }
    return false;
}

std::vector<std::string> GuardSet::describe() const {
    std::vector<std::string> lines;
    const Ref text = own(PyObject_CallMethod(capture_.get(), "describe", nullptr));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(text.get()); ++i) lines.emplace_back(PyUnicode_AsUTF8(PyList_GET_ITEM(text.get(), i)));
    return lines;
}

}  // namespace fastnp::python
