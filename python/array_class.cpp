#include "array_class.h"

#include "convert.h"

namespace fastnp::python {

namespace {

PyObject* numpy_array_type() { return reinterpret_cast<PyObject*>(&PyArray_Type); }

// The metaclass's __new__: the same class with NumPy's ndarray for the base.
PyObject* derive(PyTypeObject*, PyObject* args, PyObject* keywords) {
    return guarded([&] {
        const Py_ssize_t count = PyTuple_GET_SIZE(args);
        if (count != 3 || !PyTuple_Check(PyTuple_GET_ITEM(args, 1))) return check(PyType_Type.tp_new(&PyType_Type, args, keywords));
        PyObject* given = PyTuple_GET_ITEM(args, 1);
        const Ref bases = own(PyTuple_New(PyTuple_GET_SIZE(given)));
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(given); ++i) {
            PyObject* base = PyTuple_GET_ITEM(given, i);
            PyTuple_SET_ITEM(bases.get(), i, Py_NewRef(base == reinterpret_cast<PyObject*>(ndarray_type) ? numpy_array_type() : base));
        }
        const Ref replaced = own(PyTuple_Pack(3, PyTuple_GET_ITEM(args, 0), bases.get(), PyTuple_GET_ITEM(args, 2)));
        return check(PyObject_Call(reinterpret_cast<PyObject*>(&PyType_Type), replaced.get(), keywords));
    });
}

// NumPy's arrays are arrays to whom fastnp stands in NumPy's place.
bool is_derived(PyTypeObject* type) { return type == ndarray_type || PyType_IsSubtype(type, &PyArray_Type) != 0; }

PyObject* instancecheck(PyObject*, PyObject* object) { return PyBool_FromLong(static_cast<long>(is_derived(Py_TYPE(object)))); }

PyObject* subclasscheck(PyObject*, PyObject* type) {
    if (!PyType_Check(type)) {
        PyErr_SetString(PyExc_TypeError, "issubclass() arg 1 must be a class");
        return nullptr;
    }
    return PyBool_FromLong(static_cast<long>(is_derived(reinterpret_cast<PyTypeObject*>(type))));
}

// The metaclass's attributes: methods that only NumPy's class has are there, too.
PyObject* class_attribute(PyObject* type, PyObject* name) {
    PyObject* const found = PyType_Type.tp_getattro(type, name);
    if (found != nullptr || PyErr_ExceptionMatches(PyExc_AttributeError) == 0 || PyUnicode_READ_CHAR(name, 0) == '_') return found;
    PyObject *kind = nullptr, *error = nullptr, *traceback = nullptr;
    PyErr_Fetch(&kind, &error, &traceback);
    const Ref held[] = {Ref(kind), Ref(error), Ref(traceback)};
    return guarded([&] {
        static PyObject* of_class = nullptr;
        kept_attribute(of_class, "fastnp._fallback", "of_class");
        Ref method = own(PyObject_CallOneArg(of_class, name));
        if (method.get() != Py_None) return method.release();
        PyErr_Restore(Py_XNewRef(kind), Py_XNewRef(error), Py_XNewRef(traceback));
        throw PythonError{};
    });
}

PyMethodDef class_methods[] = {
    {"__instancecheck__", instancecheck, METH_O, nullptr}, {"__subclasscheck__", subclasscheck, METH_O, nullptr}, {nullptr, nullptr, 0, nullptr}};

}  // namespace

void make_derivable(PyObject* module, PyTypeObject* type) {
    PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(derive)},
                           {Py_tp_getattro, reinterpret_cast<void*>(class_attribute)},
                           {Py_tp_methods, class_methods},
                           {0, nullptr}};
    PyType_Spec spec = {"fastnp._core._ArrayClass", 0, 0, Py_TPFLAGS_DEFAULT, slots};
    const Ref bases = own(PyTuple_Pack(1, &PyType_Type));
    const Ref made = own(PyType_FromSpecWithBases(&spec, bases.get()));
    check(PyModule_AddObjectRef(module, "_ArrayClass", made.get()));
    Py_SET_TYPE(reinterpret_cast<PyObject*>(type), reinterpret_cast<PyTypeObject*>(Py_NewRef(made.get())));
}

void refuse_deletion(PyObject* value, const std::string& part) {
    if (value == nullptr) raise(PyExc_AttributeError, "Cannot delete array " + part);
}

void refuse_scalar(PyObject* self, const char* attribute) {
    if (!reinterpret_cast<NdArray*>(self)->scalar) return;
    raise(PyExc_AttributeError, std::string("attribute '") + attribute + "' of 'numpy.generic' objects is not writable");
}

int set_layout(PyObject* self, PyObject* value, void* name) {
    return guarded_int([&] {
        const auto* attribute = static_cast<const char*>(name);
        refuse_scalar(self, attribute);
        if (value == nullptr) raise(PyExc_AttributeError, std::string("Cannot delete array ") + attribute);
        if (recording != nullptr) refuse(std::string("writing an array's ") + attribute);
        const Ref view = own(foreign_view(self, attribute));
        check(PyObject_SetAttrString(view.get(), attribute, value));  // NumPy knows what fits, and warns
        if (!is_supported(view.get())) raise(PyExc_TypeError, "fastnp has no arrays of this dtype; numpy.asarray(x) shares the elements");
        reinterpret_cast<NdArray*>(self)->value = from_numpy(as_numpy(view.get()));
        return 0;
    });
}

PyObject* array_namespace(PyObject*, PyObject* args, PyObject* keywords) {
    return guarded([&] {
        static const char* names[] = {"api_version", nullptr};
        PyObject* version = Py_None;
        if (PyArg_ParseTupleAndKeywords(args, keywords, "|$O:__array_namespace__", const_cast<char**>(names), &version) == 0) throw PythonError{};
        const Ref array = own(PyArray_SimpleNew(0, nullptr, NPY_DOUBLE));
        const Ref method = own(PyObject_GetAttrString(array.get(), "__array_namespace__"));
        const Ref named = own(Py_BuildValue("{sO}", "api_version", version));
        const Ref none = own(PyTuple_New(0));
        const Ref checked = own(PyObject_Call(method.get(), none.get(), named.get()));  // NumPy knows the versions
        return check(PyImport_ImportModule("fastnp"));
    });
}

}  // namespace fastnp::python
