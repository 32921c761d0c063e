#include "by_numpy.h"

#include <structmember.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "convert.h"
#include "fastnp/detail/elements.h"
#include "fastnp/detail/float_flags.h"
#include "generator_methods.h"

namespace fastnp::python {

namespace {

PyObject* counts() {
    static PyObject* kept = nullptr;
    kept_attribute(kept, "fastnp._fallback", "counts");
    return kept;
}

// As NumPy is given arguments; what they stand for, to tell results by.
class Views {
public:
    /// Null where the object is none that NumPy takes without care.
    Ref of(PyObject* object, int depth = 0) {
        if (is_ndarray(object)) return of_array(object);
        if (is_plain_value(object)) return Ref::borrow(object);
        if ((!PyTuple_CheckExact(object) && !PyList_CheckExact(object)) || depth == most_nested) return {};
        return of_items(object, depth);
    }

    /// The array whose view it is, or is a view of; null: none of them.
    PyObject* whole_of(PyObject* made) const {
        for (const auto& [view, whole] : pairs_) {
            if (made == view.get()) return whole;
        }
        return nullptr;
    }

    /// What Python has of it (fastnp._fallback.Originals).
    Ref originals() const {
        Ref made = own(PyDict_New());
        for (const auto& [view, whole] : pairs_) {
            const Ref key = own(PyLong_FromVoidPtr(view.get())), entry = own(PyTuple_Pack(3, view.get(), whole, Py_None));
            check(PyDict_SetItem(made.get(), key.get(), entry.get()));
        }
        return made;
    }

    /// Who was given a view may have its elements be seen as others.
    void settle() const {
        for (const auto& [view, whole] : pairs_) {
            PyArray_Descr* const now = PyArray_DESCR(as_numpy(view.get()));
            if (dtype_of_descr(now) == value_of(whole).dtype()) continue;
            check(PyObject_SetAttrString(whole, "dtype", reinterpret_cast<PyObject*>(now)));
        }
    }

private:
    static constexpr int most_nested = 4;

    Ref of_array(PyObject* object) {
        const auto* held = reinterpret_cast<NdArray*>(object);
        detail::HostElements found;
        if (held->scalar || held->taped != nullptr || !detail::find_on_host(held->value, found)) return {};
        Ref view = own(numpy_view(held->value, object));
        pairs_.emplace_back(view, object);
        return view;
    }

    static bool is_plain_value(PyObject* object) {
        PyTypeObject* const type = Py_TYPE(object);
        if (object == Py_None || object == Py_Ellipsis || type == &PyFloat_Type || type == &PyLong_Type || type == &PyBool_Type) return true;
        if (type == &PyUnicode_Type || type == &PyComplex_Type || type == &PyArray_Type || PyArray_DescrCheck(object)) return true;
        if (PySlice_Check(object)) {
            const auto* slice = reinterpret_cast<PySliceObject*>(object);
            return is_plain_value(slice->start) && is_plain_value(slice->stop) && is_plain_value(slice->step);
        }
        if (PyType_Check(object)) return (reinterpret_cast<PyTypeObject*>(object)->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0;
        return PyArray_IsScalar(object, Generic) && (type->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0;
    }

    Ref of_items(PyObject* object, int depth) {
        const Py_ssize_t size = PySequence_Fast_GET_SIZE(object);
        Ref made;
        for (Py_ssize_t i = 0; i < size; ++i) {
            PyObject* const item = PySequence_Fast_GET_ITEM(object, i);
            Ref view = of(item, depth + 1);
            if (!view) return {};
            if (view.get() == item && !made) continue;
            if (PyList_CheckExact(object)) return {};  // which may be written to
            if (!made) made = first_items(object, i);
            PyTuple_SET_ITEM(made.get(), i, view.release());
        }
        return made ? made : Ref::borrow(object);
    }

    static Ref first_items(PyObject* tuple, Py_ssize_t count) {
        Ref made = own(PyTuple_New(PyTuple_GET_SIZE(tuple)));
        for (Py_ssize_t i = 0; i < count; ++i) PyTuple_SET_ITEM(made.get(), i, Py_NewRef(PyTuple_GET_ITEM(tuple, i)));
        return made;
    }

    std::vector<std::pair<Ref, PyObject*>> pairs_;
};

bool is_number(PyObject* object) {
    return object == Py_None || PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyBool_Check(object) || PyArray_IsScalar(object, Generic);
}

// What NumPy made, with fastnp's arrays over the same memory.
Ref taken_over(PyObject* made, const Views& views) {
    if (is_number(made)) return Ref::borrow(made);
    if (PyArray_CheckExact(made)) {
        if (PyObject* whole = views.whole_of(made)) return Ref::borrow(whole);
        if (!is_supported(made) || !PyArray_ISALIGNED(as_numpy(made))) return Ref::borrow(made);
        PyObject* const base = PyArray_BASE(as_numpy(made));
        PyObject* const whole = base == nullptr ? nullptr : views.whole_of(base);
        if (whole == nullptr) return own(wrap(to_array(made), base == nullptr ? nullptr : made));  // what owns its elements has no base
        PyObject* const first = reinterpret_cast<NdArray*>(whole)->base;
        return own(wrap(to_array(made), first != nullptr ? first : whole));
    }
    if (PyTuple_CheckExact(made)) {
        Ref items = own(PyTuple_New(PyTuple_GET_SIZE(made)));
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(made); ++i) {
            PyTuple_SET_ITEM(items.get(), i, taken_over(PyTuple_GET_ITEM(made, i), views).release());
        }
        return items;
    }
    static PyObject* function = nullptr;
    kept_attribute(function, "fastnp._fallback", "from_numpy");
    return own(PyObject_CallFunctionObjArgs(function, made, views.originals().get(), nullptr));
}

// Offsets of diagonals are looked at before NumPy has them; what is written to is named; some functions are fastnp's in Python.
bool takes_care(PyObject* name, PyObject* kwnames) {
    static PyObject* own_names = nullptr;
    kept_attribute(own_names, "fastnp._fallback", "OWN");
    if (PySet_Contains(own_names, name) == 1) return true;
    const char* const text = PyUnicode_AsUTF8(name);
    if (text == nullptr) throw PythonError{};
    const std::string_view whole(text);
    if ((whole.ends_with("diag") || whole.ends_with("diagonal") || whole.ends_with("trace")) && whole != "fill_diagonal") return true;
    for (Py_ssize_t i = 0; kwnames != nullptr && i < PyTuple_GET_SIZE(kwnames); ++i) {
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, i), "out") == 0) return true;
    }
    return false;
}

}  // namespace

bool is_numpy_watched() {
    const char* const mode = std::getenv("FASTNP_FALLBACK");
    return mode != nullptr && *mode != 0;
}

void count_call(PyObject* counts, PyObject* name) {
    PyObject* const before = PyDict_GetItemWithError(counts, name);
    if (before == nullptr && PyErr_Occurred() != nullptr) throw PythonError{};
    const long long now = before == nullptr ? 0 : PyLong_AsLongLong(before);
    check(PyDict_SetItem(counts, name, own(PyLong_FromLongLong(now + 1)).get()));
}

namespace {

bool may_be_simple() { return !records() && !is_numpy_watched(); }

// "ndarray.__getitem__"
Ref numpys(PyObject* name) {
    static PyObject* numpy = nullptr;
    if (numpy == nullptr) numpy = PyImport_ImportModule("numpy");
    Ref found = Ref::borrow(check(numpy));
    const std::string_view whole(PyUnicode_AsUTF8(name));
    for (std::size_t at = 0; at <= whole.size();) {
        const std::size_t end = std::min(whole.find('.', at), whole.size());
        const Ref part = own(PyUnicode_FromStringAndSize(whole.data() + at, static_cast<Py_ssize_t>(end - at)));
        found = own(PyObject_GetAttr(found.get(), part.get()));
        at = end + 1;
    }
    return found;
}

}  // namespace

PyObject* call_simply(PyObject* name, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    if (!may_be_simple()) return nullptr;
    return call_simply(numpys(name).get(), name, args, nargs, kwnames);
}

PyObject* call_simply(PyObject* function, PyObject* name, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    if (!may_be_simple() || takes_care(name, kwnames)) return nullptr;
    constexpr Py_ssize_t most = 12;
    const Py_ssize_t count = nargs + (kwnames == nullptr ? 0 : PyTuple_GET_SIZE(kwnames));
    if (count > most) return nullptr;
    Views views;
    Ref held[most];
    PyObject* given[most + 1] = {};
    for (Py_ssize_t i = 0; i < count; ++i) {
        held[i] = views.of(args[i]);
        if (!held[i]) return nullptr;
        given[i + 1] = held[i].get();
    }
    count_call(counts(), name);
    const Ref made = own(PyObject_Vectorcall(function, given + 1, static_cast<std::size_t>(nargs) | PY_VECTORCALL_ARGUMENTS_OFFSET, kwnames));
    views.settle();
    return taken_over(made.get(), views).release();
}

namespace {

struct ByNumpy {
    PyObject_HEAD vectorcallfunc call;
    PyObject* function;  // of a method its name
    PyObject* name;
    bool draws;       // random numbers, which a device may make
    Py_ssize_t most;  // elements that several arrays have together, beyond which it is not called
};

ByNumpy* of(PyObject* self) { return reinterpret_cast<ByNumpy*>(self); }

// Whether it is one array, or they have few elements together.
bool are_few(PyObject* const* args, Py_ssize_t nargs, Py_ssize_t most) {
    Py_ssize_t count = 0, arrays = 0;
    for (Py_ssize_t i = 0; i < nargs; ++i) {
        if (!is_ndarray(args[i]) || value_of(args[i]).is_recorded()) continue;
        count += static_cast<Py_ssize_t>(value_of(args[i]).size());
        ++arrays;
    }
    return arrays < 2 || count <= most;
}

PyObject* call_function(PyObject* self, PyObject* const* args, std::size_t flagged, PyObject* kwnames) {
    return guarded([&] {
        const ByNumpy* const called = of(self);
        if (called->most >= 0 && !are_few(args, PyVectorcall_NARGS(flagged), called->most)) return Py_NewRef(Py_NotImplemented);
        const detail::KeptFloatFlags kept;  // NumPy has looked at its own
        PyObject* made = nullptr;
        if (!called->draws || !detail::may_use_devices()) made = call_simply(called->function, called->name, args, PyVectorcall_NARGS(flagged), kwnames);
        return made != nullptr ? made : Py_NewRef(Py_NotImplemented);
    });
}

PyObject* make(PyTypeObject* type, vectorcallfunc call, PyObject* args) {
    return guarded([&]() -> PyObject* {
        PyObject *function = nullptr, *name = nullptr;
        int draws = 0;
        Py_ssize_t most = -1;
        if (PyArg_ParseTuple(args, "OU|pn", &function, &name, &draws, &most) == 0) throw PythonError{};
        PyObject* self = check(type->tp_alloc(type, 0));
        of(self)->call = call;
        of(self)->function = Py_NewRef(function);
        of(self)->name = Py_NewRef(name);
        of(self)->draws = draws != 0;
        of(self)->most = most;
        return self;
    });
}

PyObject* make_function(PyTypeObject* type, PyObject* args, PyObject*) { return make(type, call_function, args); }

int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(of(self)->function);
    return 0;
}

int clear(PyObject* self) {
    Py_CLEAR(of(self)->function);
    Py_CLEAR(of(self)->name);
    return 0;
}

void deallocate(PyObject* self) {
    PyObject_GC_UnTrack(self);
    (void)clear(self);
    PyTypeObject* type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

// The method of a generator that takes whatever there is to take.
Ref whole_method(PyObject* self, PyObject* generator) {
    static PyObject* const text = PyUnicode_InternFromString("_whole_method");
    return own(PyObject_CallMethodOneArg(generator, text, of(self)->function));
}

PyObject* call_method(PyObject* self, PyObject* const* args, std::size_t flagged, PyObject* kwnames) {
    return guarded([&]() -> PyObject* {
        static PyObject* const held = PyUnicode_InternFromString("_numpy");
        const Py_ssize_t nargs = PyVectorcall_NARGS(flagged);
        if (nargs == 0) raise(PyExc_TypeError, "a method of a generator was called without one");
        if (!records() && !detail::may_use_devices()) {
            const Ref generator = own(PyObject_GetAttr(args[0], held));
            if (PyObject* made = draw_natively(generator.get(), of(self)->function, false, args + 1, nargs - 1, kwnames)) return made;
            const Ref method = own(PyObject_GetAttr(generator.get(), of(self)->function));
            const detail::KeptFloatFlags kept;
            if (PyObject* made = call_simply(method.get(), of(self)->name, args + 1, nargs - 1, kwnames)) return made;
        }
        return check(PyObject_Vectorcall(whole_method(self, args[0]).get(), args + 1, static_cast<std::size_t>(nargs - 1), kwnames));
    });
}

PyObject* make_method(PyTypeObject* type, PyObject* args, PyObject*) { return make(type, call_method, args); }

PyObject* bound_method(PyObject* self, PyObject* generator, PyObject*) {
    if (generator == nullptr || generator == Py_None) return Py_NewRef(self);
    return guarded([&] { return whole_method(self, generator).release(); });
}

PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(ByNumpy, call), READONLY, nullptr}, {nullptr, 0, 0, 0, nullptr}};

}  // namespace

void add_by_numpy(PyObject* module) {
#define SLOT(name, function) {name, reinterpret_cast<void*>(function)}
#define SLOTS                                                                                                                         \
    SLOT(Py_tp_call, PyVectorcall_Call), SLOT(Py_tp_dealloc, deallocate), SLOT(Py_tp_traverse, traverse), SLOT(Py_tp_clear, clear), { \
        Py_tp_members, members                                                                                                        \
    }
    PyType_Slot function_slots[] = {SLOT(Py_tp_new, make_function), SLOTS, {0, nullptr}};
    PyType_Slot method_slots[] = {SLOT(Py_tp_new, make_method), SLOT(Py_tp_descr_get, bound_method), SLOTS, {0, nullptr}};
#undef SLOTS
#undef SLOT
    constexpr unsigned flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL;
    PyType_Spec function = {"fastnp._core._ByNumpy", sizeof(ByNumpy), 0, flags, function_slots};
    PyType_Spec method = {"fastnp._core._DrawMethod", sizeof(ByNumpy), 0, flags | Py_TPFLAGS_METHOD_DESCRIPTOR, method_slots};
    Py_DECREF(add_type(module, "_ByNumpy", function));  // the module holds it
    Py_DECREF(add_type(module, "_DrawMethod", method));
}

}  // namespace fastnp::python
