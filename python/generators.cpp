#include "generators.h"

#include <algorithm>

namespace fastnp::python {

LentGenerators::~LentGenerators() {
    PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
    PyErr_Fetch(&type, &value, &traceback);
    for (PyObject* lock : locks_) {
        Py_XDECREF(PyObject_CallMethod(lock, "release", nullptr));
        Py_DECREF(lock);
    }
    PyErr_Restore(type, value, traceback);
}

std::int64_t LentGenerators::lend(PyObject* generator) {
    PyObject* found = PyObject_GetAttrString(generator, "bit_generator");
    if (found == nullptr) {  // RandomState's
        PyErr_Clear();
        found = PyObject_GetAttrString(generator, "_bit_generator");
    }
    const Ref bits = own(found), capsule = own(PyObject_GetAttrString(bits.get(), "capsule"));
    void* stream = PyCapsule_GetPointer(capsule.get(), "BitGenerator");
    if (stream == nullptr) throw PythonError{};
    Ref lock = own(PyObject_GetAttrString(bits.get(), "lock"));
    if (std::find(locks_.begin(), locks_.end(), lock.get()) == locks_.end()) {
        own(PyObject_CallMethod(lock.get(), "acquire", nullptr));
        locks_.push_back(lock.release());
    }
    return reinterpret_cast<std::int64_t>(stream);
}

}  // namespace fastnp::python
