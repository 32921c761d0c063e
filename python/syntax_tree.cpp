// Python's syntax trees, gone over: first calls do so many times (fastnp._syntax), and would take a fifth longer by Python's own loops.
#include "syntax_tree.h"

#include <iterator>
#include <string>

#include "as_method.h"

namespace fastnp::python {

namespace {

// What the functions are bound to: a dict of the fields in which nodes of a class have others, which finds them where they are missing; and ast.AST.
struct Classes {
    PyObject* fields;
    PyTypeObject* node;

    explicit Classes(PyObject* self) : fields(PyTuple_GET_ITEM(self, 0)), node(reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(self, 1))) {}

    [[nodiscard]] bool is_node(PyObject* object) const { return PyObject_TypeCheck(object, node) != 0; }

    [[nodiscard]] Ref fields_of(PyObject* object) const {
        PyObject* const kind = reinterpret_cast<PyObject*>(Py_TYPE(object));
        PyObject* const known = PyDict_GetItemWithError(fields, kind);
        if (known != nullptr) return Ref::borrow(known);
        if (PyErr_Occurred() != nullptr) throw PythonError{};
        return own(PyObject_GetItem(fields, kind));
    }
};

void append(PyObject* list, PyObject* object) {
    if (PyList_Append(list, object) < 0) throw PythonError{};
}

void append_children(const Classes& classes, PyObject* parent, PyObject* found) {
    const Ref names = classes.fields_of(parent);
    if (PyTuple_GET_SIZE(names.get()) == 0) return;
    const Ref held = own(PyObject_GenericGetDict(parent, nullptr));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names.get()); ++i) {
        PyObject* const value = PyDict_GetItemWithError(held.get(), PyTuple_GET_ITEM(names.get(), i));
        if (value == nullptr && PyErr_Occurred() != nullptr) throw PythonError{};
        if (value == nullptr) continue;
        if (!PyList_CheckExact(value)) {
            if (classes.is_node(value)) append(found, value);
            continue;
        }
        for (Py_ssize_t k = 0; k < PyList_GET_SIZE(value); ++k) {
            if (classes.is_node(PyList_GET_ITEM(value, k))) append(found, PyList_GET_ITEM(value, k));
        }
    }
}

bool is_of(PyObject* object, PyObject* kinds) {
    const int found = PySet_Contains(kinds, reinterpret_cast<PyObject*>(Py_TYPE(object)));
    if (found < 0) throw PythonError{};
    return found != 0;
}

PyObject* children(PyObject* self, PyObject* node) {
    return guarded([&] {
        const Classes classes(self);
        Ref found = own(PyList_New(0));
        append_children(classes, node, found.get());
        return found.release();
    });
}

// walk(node, stops): level by level, but for what is below nodes of the classes `stops`.
PyObject* walk(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    return guarded([&] {
        const Classes classes(self);
        if (count != 1 && count != 2) raise(PyExc_TypeError, "walk() takes a node, and a set of classes");
        Ref found = own(PyList_New(0));
        append(found.get(), args[0]);
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(found.get()); ++i) {  // which grows
            const Ref each = Ref::borrow(PyList_GET_ITEM(found.get(), i));
            if (count == 1 || !is_of(each.get(), args[1])) append_children(classes, each.get(), found.get());
        }
        return found.release();
    });
}

// uppermost(node, kinds): the nodes of these classes, but for what is below others of them.
PyObject* uppermost(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    return guarded([&] {
        const Classes classes(self);
        if (count != 2) raise(PyExc_TypeError, "uppermost() takes a node and a set of classes");
        const Ref pending = own(PyList_New(0));
        Ref found = own(PyList_New(0));
        append(pending.get(), args[0]);
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(pending.get()); ++i) {  // which grows
            const Ref each = Ref::borrow(PyList_GET_ITEM(pending.get(), i));
            if (is_of(each.get(), args[1])) append(found.get(), each.get());
            else append_children(classes, each.get(), pending.get());
        }
        return found.release();
    });
}

PyMethodDef methods[] = {{"children", children, METH_O, "The nodes right below one, in the order of its fields."},
                         {"walk", as_method(walk), METH_FASTCALL, "A node and all below it, level by level; nothing below nodes of the classes given."},
                         {"uppermost", as_method(uppermost), METH_FASTCALL, "Nodes of the classes given, at and below one, but for those below such."}};

}  // namespace

PyObject* syntax_functions(PyObject* fields, PyObject* node) {
    if (!PyDict_Check(fields) || !PyType_Check(node)) raise(PyExc_TypeError, "_syntax_functions() takes a dict and a class");
    const Ref classes = own(PyTuple_Pack(2, fields, node));
    Ref made = own(PyTuple_New(std::ssize(methods)));
    for (Py_ssize_t i = 0; i < std::ssize(methods); ++i) PyTuple_SET_ITEM(made.get(), i, check(PyCFunction_New(&methods[i], classes.get())));
    return made.release();
}

}  // namespace fastnp::python
