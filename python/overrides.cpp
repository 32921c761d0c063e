#include "overrides.h"

#include <structmember.h>

#include <array>
#include <cstddef>
#include <string>

#include "exchange.h"
#include "fastnp/detail/float_flags.h"
#include "number.h"
#include "number_list.h"
#include "size.h"

namespace fastnp::python {

namespace {

constexpr int deepest = 32;

// What NumPy looks for in a type. Arrays on CUDA devices have some of them, too; these are taken as arrays.
constexpr const char* protocol_names[] = {"__array_ufunc__", "__array_function__", "__array_priority__",  "__array_wrap__",
                                          "__array__",       "__array_finalize__", "__array_interface__", "__array_struct__"};

PyObject* attribute_of_type(PyObject* object, PyObject* name) { return _PyType_Lookup(Py_TYPE(object), name); }

bool has_protocol(PyObject* object) {
    static const auto names = [] {
        std::array<PyObject*, std::size(protocol_names)> made{};
        for (std::size_t i = 0; i < made.size(); ++i) made[i] = PyUnicode_InternFromString(protocol_names[i]);
        return made;
    }();
    for (PyObject* name : names) {
        if (attribute_of_type(object, name) != nullptr) return true;
    }
    return false;
}

bool has_method(PyObject* object, const char* name) { return name != nullptr && PyObject_HasAttrString(object, name) != 0; }

// NumPy's own scalars, not those of a class derived from one.
bool is_own_scalar(PyObject* object) { return PyArray_IsScalar(object, Generic) && (Py_TYPE(object)->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0; }

bool overrides_at(PyObject* object, const char* method, int depth) {
    if (is_known(object) || is_own_scalar(object) || is_recorded_number(object) || is_number_list(object) || PyArray_DescrCheck(object)) return false;
    if (PyArray_Check(object)) return true;
    if (has_protocol(object)) return !is_foreign(object);
    if (PyList_Check(object) || PyTuple_Check(object)) {
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object) && depth < deepest; ++i) {
            if (overrides_at(PySequence_Fast_GET_ITEM(object, i), nullptr, depth + 1)) return true;
        }
        if (PyList_CheckExact(object) || PyTuple_CheckExact(object)) return false;
    }
    return has_method(object, method);
}

double priority_of(PyObject* object) {
    static PyObject* const name = PyUnicode_InternFromString("__array_priority__");
    if (attribute_of_type(object, name) == nullptr) return -1e6;  // as that of NumPy's scalars
    const Ref found(PyObject_GetAttr(object, name));
    const double priority = found ? PyFloat_AsDouble(found.get()) : -1e6;
    if (PyErr_Occurred() == nullptr) return priority;
    PyErr_Clear();
    return -1e6;
}

}  // namespace

bool overrides(PyObject* object, const char* method) { return overrides_at(object, method, 0); }

bool leaves_operator_to(PyObject* other) {
    static PyObject* const name = PyUnicode_InternFromString("__array_ufunc__");
    if (PyObject* found = attribute_of_type(other, name)) return found == Py_None;
    return priority_of(other) > 0;
}

PyObject* operate(const char* name, PyObject* a, PyObject* b, bool in_place) {
    if (is_ndarray(a) && !in_place && records() && leaves_operator_to(b)) return Py_NewRef(Py_NotImplemented);  // its method gets what is recorded
    const detail::KeptFloatFlags kept;  // NumPy has looked at its own
    static PyObject* function = nullptr;
    kept_attribute(function, "fastnp._fallback", "operate");
    return check(PyObject_CallFunction(function, "sOOO", name, a, b, in_place ? Py_True : Py_False));
}

namespace {

struct Function {
    PyObject_HEAD vectorcallfunc call;
    PyObject* function;
    PyObject* name;   // NumPy's
    PyObject* quick;  // asked first: it gives NotImplemented for what the function is to do; or null
};

Function* of(PyObject* self) { return reinterpret_cast<Function*>(self); }

PyObject* call_function(PyObject* self, PyObject* const* args, std::size_t flagged, PyObject* kwnames) {
    const Py_ssize_t nargs = PyVectorcall_NARGS(flagged);
    if (!any_overrides(args, count_of(nargs, kwnames))) {
        PyObject* const made = of(self)->quick == nullptr ? Py_NewRef(Py_NotImplemented) : PyObject_Vectorcall(of(self)->quick, args, flagged, kwnames);
        if (made != Py_NotImplemented) return made;
        Py_DECREF(made);
        return PyObject_Vectorcall(of(self)->function, args, flagged, kwnames);
    }
    return guarded([&] { return call_numpy(PyUnicode_AsUTF8(of(self)->name), args, nargs, kwnames); });
}

PyObject* make_function(PyTypeObject* type, PyObject* args, PyObject*) {
    return guarded([&]() -> PyObject* {
        PyObject *function = nullptr, *name = nullptr, *quick = nullptr;
        if (PyArg_ParseTuple(args, "OU|O", &function, &name, &quick) == 0) throw PythonError{};
        PyObject* self = check(type->tp_alloc(type, 0));
        of(self)->call = call_function;
        of(self)->function = Py_NewRef(function);
        of(self)->name = Py_NewRef(name);
        of(self)->quick = Py_XNewRef(quick);
        return self;
    });
}

int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(of(self)->function);
    Py_VISIT(of(self)->quick);
    return 0;
}

int clear(PyObject* self) {
    Py_CLEAR(of(self)->function);
    Py_CLEAR(of(self)->name);
    Py_CLEAR(of(self)->quick);
    return 0;
}

void deallocate(PyObject* self) {
    PyObject_GC_UnTrack(self);
    (void)clear(self);
    PyTypeObject* type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

PyObject* repr(PyObject* self) { return PyUnicode_FromFormat("<function %U>", of(self)->name); }

// As an attribute of a class it is a method where NumPy's is: its draws are bound to a generator already.
PyObject* bound(PyObject* self, PyObject* object, PyObject*) {
    if (object == nullptr || object == Py_None) return Py_NewRef(self);
    return guarded([&] {
        const Ref numpys(PyObject_GetAttrString(of(self)->function, "__wrapped__"));
        if (!numpys) PyErr_Clear();
        PyObject* const function = numpys ? numpys.get() : of(self)->function;
        const bool is_bound = PyMethod_Check(function) != 0 || Py_TYPE(function)->tp_descr_get == nullptr;
        return is_bound ? Py_NewRef(self) : check(PyMethod_New(self, object));
    });
}

PyObject* pickled(PyObject* self, PyObject*) { return PyObject_GetAttrString(of(self)->function, "__name__"); }

PyObject* attribute(PyObject* self, void* name) { return PyObject_GetAttrString(of(self)->function, static_cast<const char*>(name)); }

PyObject* get_doc(PyObject* self, void*) {
    return guarded([&] {
        const Ref text = import_attribute("fastnp._doc", "text_of_function");
        return check(PyObject_CallFunctionObjArgs(text.get(), of(self)->function, of(self)->name, nullptr));
    });
}

PyObject* signature(PyObject* self, void*) {
    return guarded([&] { return check(PyObject_CallOneArg(import_attribute("inspect", "signature").get(), of(self)->function)); });
}

PyMethodDef methods[] = {{"__reduce__", pickled, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(Function, call), READONLY, nullptr}, {nullptr, 0, 0, 0, nullptr}};
#define ATTRIBUTE(name) {name, attribute, nullptr, nullptr, const_cast<char*>(name)}
PyGetSetDef properties[] = {ATTRIBUTE("__name__"),
                            ATTRIBUTE("__qualname__"),
                            ATTRIBUTE("__module__"),
                            ATTRIBUTE("__wrapped__"),
                            {"__doc__", get_doc, nullptr, nullptr, nullptr},
                            ATTRIBUTE("__defaults__"),
                            ATTRIBUTE("__kwdefaults__"),
                            ATTRIBUTE("__annotations__"),
                            {"__signature__", signature, nullptr, nullptr, nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};
#undef ATTRIBUTE

}  // namespace

void add_dispatched_function(PyObject* module) {
#define SLOT(name, function) {name, reinterpret_cast<void*>(function)}
    PyType_Slot slots[] = {SLOT(Py_tp_new, make_function),
                           SLOT(Py_tp_call, PyVectorcall_Call),
                           SLOT(Py_tp_dealloc, deallocate),
                           SLOT(Py_tp_traverse, traverse),
                           SLOT(Py_tp_clear, clear),
                           SLOT(Py_tp_repr, repr),
                           SLOT(Py_tp_descr_get, bound),
                           {Py_tp_methods, methods},
                           {Py_tp_members, members},
                           {Py_tp_getset, properties},
                           {0, nullptr}};
#undef SLOT
    PyType_Spec spec = {"fastnp._core._Function", sizeof(Function), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, slots};
    Py_DECREF(add_type(module, "_Function", spec));  // the module holds it
}

}  // namespace fastnp::python
