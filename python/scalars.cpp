// What NumPy's scalars have and its arrays do not, of arrays that stand for one: in recordings, on a tape, on a device.
#include "functions.h"
#include "ndarray.h"

namespace fastnp::python {

namespace {

bool stands_for_scalar(PyObject* self) { return reinterpret_cast<NdArray*>(self)->scalar; }

// NumPy's class of such a scalar.
Ref scalar_type(const array& value) {
    const Ref descr(reinterpret_cast<PyObject*>(descr_of(value.dtype())));
    return own(PyObject_GetAttrString(descr.get(), "type"));
}

// The scalar that there is now: in a compiled function a read, which the entry takes for granted.
Ref scalar_now(PyObject* self, const char* what) {
    Ref found = own(readable_copy(self, what));
    if (!PyArray_Check(found.get())) return found;
    const Ref nothing = own(PyTuple_New(0));
    return own(PyObject_GetItem(found.get(), nothing.get()));
}

// math.floor() and its kin are whole numbers, whose derivative is 0: they take the value as it is.
PyObject* by_math(PyObject* self, const char* name) {
    return guarded([&] {
        const bool is_recorded = stands_for_scalar(self) && value_of(self).is_recorded();
        const Ref number = is_recorded ? own(read_element(undifferentiated(value_of(self)))) : own(readable_copy(self, name));
        return check(PyObject_CallOneArg(import_attribute("math", name).get(), number.get()));
    });
}
PyObject* floor_of(PyObject* self, PyObject*) { return by_math(self, "floor"); }
PyObject* ceil_of(PyObject* self, PyObject*) { return by_math(self, "ceil"); }
PyObject* truncated(PyObject* self, PyObject*) { return by_math(self, "trunc"); }

// round(x) is an int, round(x, digits) a scalar, as its derivative is.
PyObject* rounded(PyObject* self, PyObject* args) {
    return guarded([&] {
        PyObject* digits = Py_None;
        if (PyArg_ParseTuple(args, "|O", &digits) == 0) throw PythonError{};
        const array& value = value_of(self);
        if (!stands_for_scalar(self) || value.dtype() == Dtype::bool_ || is_complex(value.dtype())) {
            raise(PyExc_TypeError, std::string("type ") + Py_TYPE(self)->tp_name + " doesn't define __round__ method");
        }
        const array nearest = round(value, digits == Py_None ? 0 : to_int(digits));
        return digits == Py_None ? check(PyNumber_Long(own(wrap_scalar(nearest)).get())) : wrap_scalar(nearest);
    });
}

}  // namespace

PyMethodDef scalar_methods[] = {{"__round__", rounded, METH_VARARGS, nullptr},
                                {"__trunc__", truncated, METH_NOARGS, nullptr},
                                {"__floor__", floor_of, METH_NOARGS, nullptr},
                                {"__ceil__", ceil_of, METH_NOARGS, nullptr},
                                {nullptr, nullptr, 0, nullptr}};

PyObject* scalar_attribute(PyObject* self, PyObject* name) {
    if (!stands_for_scalar(self) || PyObject_HasAttr(scalar_type(value_of(self)).get(), name) == 0) return nullptr;
    return check(PyObject_GetAttr(scalar_now(self, PyUnicode_AsUTF8(name)).get(), name));
}

Py_hash_t hash(PyObject* self) {
    // A key that is kept beyond a recording would be a value that is none any more.
    if (!stands_for_scalar(self) || recording != nullptr) return PyObject_HashNotImplemented(self);
    Py_hash_t found = -1;
    const int status = guarded_int([&] {
        found = PyObject_Hash(scalar_now(self, "hash()").get());
        return found == -1 ? -1 : 0;
    });
    return status < 0 ? -1 : found;
}

}  // namespace fastnp::python
