// What a native loop is handed, takes for granted and gives, for one combination of kinds: as far as calls need no Python.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dict_version.h"
#include "float_errors.h"
#include "native_program.h"
#include "program_lists.h"

namespace fastnp::python::loops {

// What a native loop is handed: a number of a type, an array, a tuple of numbers, or an object that stays the same.
struct Expected {
    py::object type, object;
    py::object function;  // any that is this one's code alone
    std::vector<py::object> items;  // types of a tuple's
    std::shared_ptr<ListKind> list;  // a list's
    std::shared_ptr<TableKind> table;  // ... of lists
    py::object dtype;  // an array's
    int rank = 0;
    unsigned ones = 0;  // ... bits of the axes of one element, if it has several
    bool has_lines = false, is_writeable = false, is_anything = false;

    /// `plain`: an array of fastnp's as NumPy's, or null where it is none that a program takes; the value itself of others.
    bool fits(PyObject* value, PyObject* plain) const {
        if (is_anything) return true;
        if (object) return value == object.ptr();
        if (reinterpret_cast<PyObject*>(Py_TYPE(value)) != type.ptr()) return false;
        if (!items.empty()) return fits_items(value);
        if (function) return is_alike(value);
        if (!dtype) return true;
        if (plain == nullptr) return false;
        auto* x = as_numpy(plain);
        return has_dtype(x) && PyArray_NDIM(x) == rank && (PyArray_ISWRITEABLE(x) != 0) == is_writeable && PyArray_ISALIGNED(x) &&
               (rank > 0 && PyArray_STRIDE(x, rank - 1) == PyArray_ITEMSIZE(x)) == has_lines && (rank < 2 || axes_of_one(x) == ones);
    }

private:
    static unsigned axes_of_one(PyArrayObject* x) {
        unsigned found = 0;
        for (int axis = 0; axis < PyArray_NDIM(x); ++axis) found |= PyArray_DIM(x, axis) == 1 ? 1U << static_cast<unsigned>(axis) : 0U;
        return found;
    }
    static bool has_no_attributes(PyObject* function) {
        auto* attributes = reinterpret_cast<PyFunctionObject*>(function)->func_dict;
        return attributes == nullptr || PyDict_GET_SIZE(attributes) == 0;
    }
    bool is_alike(PyObject* value) const {
        PyObject* const other = function.ptr();
        return PyFunction_GET_CODE(value) == PyFunction_GET_CODE(other) && PyFunction_GET_GLOBALS(value) == PyFunction_GET_GLOBALS(other) &&
               PyFunction_GET_DEFAULTS(value) == nullptr && PyFunction_GET_KW_DEFAULTS(value) == nullptr && has_no_attributes(value);
    }

    // Of one of NumPy's own there is one object; records are compared.
    bool has_dtype(PyArrayObject* x) const {
        auto* const wanted = reinterpret_cast<PyArray_Descr*>(dtype.ptr());
        return PyArray_DESCR(x) == wanted ||
               (PyDataType_HASFIELDS(wanted) && PyObject_RichCompareBool(reinterpret_cast<PyObject*>(PyArray_DESCR(x)), dtype.ptr(), Py_EQ) == 1);
    }

    bool fits_items(PyObject* value) const {
        if (static_cast<std::size_t>(PyTuple_GET_SIZE(value)) != items.size()) return false;
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (reinterpret_cast<PyObject*>(Py_TYPE(PyTuple_GET_ITEM(value, static_cast<Py_ssize_t>(i)))) != items[i].ptr()) return false;
        }
        return true;
    }
};

// What a call is given, and arrays of fastnp's as NumPy's.
class Arguments {
public:
    explicit Arguments(std::span<PyObject* const> given) : given_(given) {
        for (PyObject* each : given) {
            plain_.push_back(each);
            if (!is_ndarray(each)) continue;
            const auto* held = reinterpret_cast<const NdArray*>(each);
            const array& value = held->value;
            const bool is_taken = !value.is_recorded() && held->taped == nullptr && !held->scalar && value.device() == "cpu";
            if (is_taken) views_.push_back(py::reinterpret_steal<py::object>(check(numpy_view(value, each))));
            plain_.back() = is_taken ? views_.back().ptr() : nullptr;
        }
    }
    std::size_t size() const { return given_.size(); }
    PyObject* operator[](std::size_t i) const { return given_[i]; }
    PyObject* plain(std::size_t i) const { return plain_[i]; }

private:
    std::span<PyObject* const> given_;
    SmallVector<PyObject*, 8> plain_;
    std::vector<py::object> views_;
};

// What an object holds that a loop is handed, which is one more argument.
struct Field {
    enum class How : std::uint8_t { attribute, function, type, item, itself, cell };
    int of = -1;  // the object: among the arguments
    py::object owner, name;  // ... or itself
    How how = How::attribute;
    py::object function;     // the function that it is, if it is one

    /// A new reference to it, or null. Of attributes the object's class is known.
    PyObject* now(PyObject* object) const {
        if (how == How::type) return Py_NewRef(Py_None);
        if (how == How::itself) return Py_NewRef(object);
        if (how == How::cell) {
            PyObject* const closure = PyFunction_Check(object) ? PyFunction_GET_CLOSURE(object) : nullptr;
            const Py_ssize_t number = PyLong_AsSsize_t(name.ptr());
            return closure != nullptr && number < PyTuple_GET_SIZE(closure) ? PyCell_Get(PyTuple_GET_ITEM(closure, number)) : nullptr;
        }
        if (how == How::item) {
            PyObject* const found = PyDict_CheckExact(object) ? PyDict_GetItemWithError(object, name.ptr()) : nullptr;
            return Py_XNewRef(found);
        }
        return PyObject_GetAttr(object, name.ptr());
    }
    void store(PyObject* object, PyObject* value) const {
        const int status = how == How::item ? PyDict_SetItem(object, name.ptr(), value) : PyObject_SetAttr(object, name.ptr(), value);
        if (status != 0) throw PythonError{};
    }

    template <class Values>
    PyObject* owner_in(const Values& values) const {
        return of < 0 ? owner.ptr() : values[static_cast<std::size_t>(of)];
    }
};

// Classes of objects whose attributes are known to be no more than that, as long as they are what they were.
class KnownClasses {
public:
    void add(PyTypeObject* type) {
        // Looking at a class gives it a version; without one it is not known.
        const Ref looked(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "__module__"));
        PyErr_Clear();
        if (PyType_HasFeature(type, Py_TPFLAGS_VALID_VERSION_TAG) == 0) return;
        std::erase_if(known_, [&](const auto& each) { return each.first.ptr() == reinterpret_cast<PyObject*>(type); });
        known_.emplace_back(py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(type)), type->tp_version_tag);
    }
    bool has(PyTypeObject* type) const {
        if (PyType_HasFeature(type, Py_TPFLAGS_VALID_VERSION_TAG) == 0) return false;
        return std::ranges::any_of(
            known_, [&](const auto& each) { return each.first.ptr() == reinterpret_cast<PyObject*>(type) && each.second == type->tp_version_tag; });
    }
    void clear() { known_.clear(); }

private:
    std::vector<std::pair<py::object, unsigned>> known_;
};

// Where a variable that a loop gives comes from: what its exit hands out, an argument, an object that is known, a tuple of what it hands out, an array
// that is an argument or was made, a number of one of several kinds, or a list that is an argument or was made.
struct Source {
    enum class Kind : std::uint8_t { handed, argument, known, tuple, array, choice, list };
    Kind kind = Kind::handed;
    std::size_t number = 0;
    py::object known{};
    std::size_t count = 0;  // tuple: of its items
    int passed = -1;  // ... the argument that the variable may be still
    // array: by what is handed out first, the argument that it is, or -1: it was made, -2: as fastnp's; choice: by its tag, which of what is handed out it
    // is; list: the argument that it is unless it is new, or -1
    std::vector<int> origins{};
    std::shared_ptr<ListKind> items{};
};

// What a program took for granted: what a dict has at a key, or an object as an attribute.
struct Guard {
    py::object space, key, value;  // no value: nothing is there
    mutable std::uint64_t version = 0;  // of a dict, when it held

    bool holds() const {
        if (PyDict_CheckExact(space.ptr())) {
            const std::uint64_t now = version_of_dict(space.ptr());
            if (now != 0 && now == version) return true;
            const bool is_there = PyDict_GetItemWithError(space.ptr(), key.ptr()) == value.ptr();
            version = is_there ? now : 0;
            return is_there;
        }
        const Ref found(PyObject_GetAttr(space.ptr(), key.ptr()));
        if (found.get() == nullptr) PyErr_Clear();
        return found.get() == value.ptr();
    }
};

// A loop's program for one combination of kinds, as far as calls need no Python.
struct Ready {
    std::vector<Expected> expected;
    std::vector<Guard> guards;
    std::vector<std::shared_ptr<Program>> programs;  // the first that fits is taken
    std::vector<std::size_t> arrays;  // among the arguments
    std::vector<std::pair<std::size_t, int>> numbers;  // ... and places in tuples, or -1
    Program::Constants more;  // numbers after these
    bool has_lists = false;  // among the arguments, or tables
    struct End {
        bool returns = false, is_tuple = false;  // a `return` of the function's, of several values
        std::vector<Source> sources;
        std::vector<Source> lists;  // that were changed: the arguments have to be, whoever reads them later
        std::vector<Source> fields;  // of those that are stored to
        std::vector<std::size_t> stores;  // of each whether that was done, among what is handed out
    };
    std::vector<Field> fields;
    std::vector<std::size_t> stored;  // those of them that the loop stores to
    std::vector<std::pair<std::int64_t, End>> ends;  // what is given at exits that are ends of the loop
    py::object handle;  // for what goes on in Python
    std::vector<std::pair<unsigned, std::string>> warnings;  // what it may warn of, by flags

    /// Of what a run met, where NumPy is to warn of it. PythonError where that is an exception.
    void warn(unsigned flags) const {
        const unsigned told = float_state().told;
        for (const auto& [flag, text] : warnings) {
            const unsigned asked = flag == Program::wrapped ? unsigned{detail::float_overflow} : flag;
            if ((flags & flag) != 0 && (told & asked) != 0 && PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) != 0) throw PythonError{};
        }
    }

    /// Whether no object that is stored to is there by two names.
    bool are_apart(const Arguments& given) const {
        if (stored.empty()) return true;
        const bool has_dicts = std::ranges::any_of(fields, [](const Field& each) { return each.how == Field::How::item; });
        const bool has_objects = std::ranges::any_of(fields, [](const Field& each) { return each.how <= Field::How::type; });
        if (has_dicts && has_objects) return false;  // objects' attributes may lie in these: Python looks
        for (std::size_t i = 0; i < fields.size(); ++i) {
            for (std::size_t k = 0; k < i; ++k) {
                if (fields[i].how >= Field::How::itself || fields[k].how >= Field::How::itself) continue;  // which are not stored to
                const bool is_same_name = fields[i].of == fields[k].of && fields[i].owner.is(fields[k].owner);
                if (!is_same_name && fields[i].owner_in(given) == fields[k].owner_in(given)) return false;
            }
        }
        return true;
    }

    bool fits(const Arguments& arguments) const {
        if (arguments.size() != expected.size()) return false;
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            if (!expected[i].fits(arguments[i], arguments.plain(i))) return false;
        }
        return std::all_of(guards.begin(), guards.end(), [](const Guard& guard) { return guard.holds(); });
    }
};

}  // namespace fastnp::python::loops
