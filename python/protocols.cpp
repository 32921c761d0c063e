// How other libraries see a fastnp.ndarray, without copies: the buffer protocol, NumPy's __array__ protocols, DLPack, pickling.
#include <memory>

#include "as_method.h"
#include "exchange.h"
#include "fastnp/detail/memory.h"
#include "fastnp/detail/once.h"
#include "fastnp/detail/shared.h"
#include "fastnp/device.h"
#include "lent.h"
#include "ndarray.h"

namespace fastnp::python {

namespace {

// PEP 3118's format of a dtype; bfloat16 has none, its bits are uint16.
const char* format_of(Dtype dtype) {
    switch (dtype) {
        case Dtype::bool_: return "?";
        case Dtype::int8: return "b";
        case Dtype::uint8: return "B";
        case Dtype::int16: return "h";
        case Dtype::uint16: return "H";
        case Dtype::int32: return "i";
        case Dtype::uint32: return "I";
        case Dtype::int64: return "l";
        case Dtype::uint64: return "L";
        case Dtype::float16: return "e";
        case Dtype::bfloat16: return "H";
        case Dtype::float32: return "f";
        case Dtype::float64: return "d";
        case Dtype::complex64: return "Zf";
        case Dtype::complex128: return "Zd";
    }
    return "B";
}

struct BufferLayout {
    Shape shape;
    Strides strides;
    array held;  // whose memory it is
    std::shared_ptr<void> lent;
};

PyObject* array_method(PyObject* self, PyObject* args, PyObject* keywords) {
    return guarded([&]() -> PyObject* {
        static const char* names[] = {"dtype", "copy", nullptr};
        PyObject* dtype = Py_None;
        PyObject* copy = Py_None;
        if (PyArg_ParseTupleAndKeywords(args, keywords, "|O$O", const_cast<char**>(names), &dtype, &copy) == 0) throw PythonError{};
        const array value = foreign_value(self, "numpy.asarray");
        const bool is_copy = detail::is_shared(value);
        if (copy == Py_False && is_copy) {
            raise(PyExc_ValueError, "Unable to avoid copy while creating an array as requested: its elements are shared on a CUDA device.");
        }
        Ref view = own(foreign_view(self, "numpy.asarray"));
        if (dtype != Py_None) {
            PyArray_Descr* wanted = nullptr;
            if (PyArray_DescrConverter(dtype, &wanted) == 0) throw PythonError{};
            if (PyArray_EquivTypes(PyArray_DESCR(as_numpy(view.get())), wanted) == 0) {
                if (copy == Py_False) {
                    Py_DECREF(wanted);
                    raise(PyExc_ValueError, "Unable to avoid copy while creating an array as requested.");
                }
                return check(PyArray_CastToType(as_numpy(view.get()), wanted, 0));
            }
            Py_DECREF(wanted);
        }
        if (copy == Py_True && !is_copy) return check(PyArray_NewCopy(as_numpy(view.get()), NPY_KEEPORDER));
        return view.release();
    });
}

PyObject* dlpack_device_of(PyObject* self, PyObject*) {
    return guarded([&] {
        const dlpack::Device device = dlpack_device(value_of(self));
        return check(Py_BuildValue("(ii)", device.device_type, device.device_id));
    });
}

PyObject* reduce(PyObject* self, PyObject*) {
    return guarded([&] {
        if (reinterpret_cast<NdArray*>(self)->scalar && !value_of(self).is_recorded()) {  // as the NumPy scalar that it stands for
            return check(PyObject_CallMethod(own(numpy_scalar(value_of(self))).get(), "__reduce__", nullptr));
        }
        const Ref view = own(foreign_view(self, "pickling"));
        const Ref rebuild = import_attribute("fastnp", "asarray");
        return check(Py_BuildValue("(O(O))", rebuild.get(), view.get()));
    });
}

PyObject* copy(PyObject* self, PyObject*) {
    return guarded([&] { return wrap(value_of(self).copy(Order::keep), nullptr, reinterpret_cast<NdArray*>(self)->scalar); });
}

// Own functions are called from here, not by Python: a warning's place is the caller's.
PyObject* array_ufunc(PyObject* /*self*/, PyObject* args, PyObject* keywords) {
    static PyObject *own_of = nullptr, *other = nullptr;
    return guarded([&] {
        PyObject *ufunc = nullptr, *method = nullptr;
        const Ref names = own(PyTuple_GetSlice(args, 0, 2));
        const Ref inputs = own(PyTuple_GetSlice(args, 2, PY_SSIZE_T_MAX));
        if (PyArg_ParseTuple(names.get(), "OO:__array_ufunc__", &ufunc, &method) == 0) throw PythonError{};
        const Ref named = own(keywords == nullptr ? PyDict_New() : PyDict_Copy(keywords));
        PyObject* out = PyDict_GetItemString(named.get(), "out");
        if (out != nullptr && PyTuple_Check(out) && PyTuple_GET_SIZE(out) == 1) {
            const Ref first = Ref::borrow(PyTuple_GET_ITEM(out, 0));
            if (PyDict_SetItemString(named.get(), "out", first.get()) != 0) throw PythonError{};
        }
        kept_attribute(own_of, "fastnp._dispatch", "own_method_of");
        kept_attribute(other, "fastnp._dispatch", "other_ufunc");
        const Ref found = own(PyObject_Call(own_of, names.get(), nullptr));
        return found.get() == Py_None ? check(PyObject_Call(other, args, named.get())) : check(PyObject_Call(found.get(), inputs.get(), named.get()));
    });
}

PyObject* array_function(PyObject* /*self*/, PyObject* args, PyObject* keywords) {
    static PyObject *own_of = nullptr, *other = nullptr;
    return guarded([&] {
        PyObject *function = nullptr, *types = nullptr, *given = nullptr, *named = nullptr;
        kept_attribute(own_of, "fastnp._dispatch", "own_of");
        kept_attribute(other, "fastnp._dispatch", "other_function");
        if (keywords != nullptr || PyTuple_GET_SIZE(args) != 4) return check(PyObject_Call(other, args, keywords));
        if (PyArg_ParseTuple(args, "OOO!O!", &function, &types, &PyTuple_Type, &given, &PyDict_Type, &named) == 0) throw PythonError{};
        const Ref found = own(PyObject_CallFunctionObjArgs(own_of, function, nullptr));
        if (found.get() != Py_None) return check(PyObject_Call(found.get(), given, named));
        return check(PyObject_Call(other, args, nullptr));
    });
}

// The bytes of its own: those of a view are its owner's.
PyObject* size_of_object(PyObject* self, PyObject*) {
    return guarded([&] {
        const auto* const object = reinterpret_cast<NdArray*>(self);
        const auto own_bytes = static_cast<std::int64_t>(sizeof(NdArray)) + 16 * object->value.ndim();
        return check(PyLong_FromLongLong(own_bytes + (object->base == nullptr && !object->value.is_recorded() ? object->value.nbytes() : 0)));
    });
}

// As numpy.ndarray's does, whose views of a class are fastnp's arrays here.
PyObject* array_wrap(PyObject*, PyObject* args, PyObject* keywords) {
    return guarded([&] {
        static const char* names[] = {"array", "context", "return_scalar", nullptr};
        PyObject *given = nullptr, *context = Py_None;
        int is_number = 0;
        if (PyArg_ParseTupleAndKeywords(args, keywords, "O|Op:__array_wrap__", const_cast<char**>(names), &given, &context, &is_number) == 0) {
            throw PythonError{};
        }
        if (!is_ndarray(given) && !PyArray_Check(given)) raise(PyExc_TypeError, "can only be called with ndarray object");
        if (PyArray_Check(given) && !shares_memory(as_numpy(given))) return Py_NewRef(given);
        const array value = to_array(given);
        if (is_number != 0 && value.ndim() == 0 && !records()) return numpy_scalar(value);
        return is_ndarray(given) ? Py_NewRef(given) : wrap(value, given);
    });
}

}  // namespace

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
    view->obj = nullptr;
    return guarded_int([&] {
        check_readable(value_of(self), "the buffer protocol");
        if (detail::is_written_late(value_of(self))) raise(PyExc_BufferError, "what the transform has written to the array is not there yet");
        const bool is_scalar = reinterpret_cast<NdArray*>(self)->scalar && detail::is_at_device(value_of(self));  // it shows a copy
        const array value = is_scalar ? value_of(self).to("cpu") : value_of(self);
        if (detail::is_shared(value)) {
            raise(PyExc_BufferError, "the array's elements are shared on device '" + value.device() + "'; numpy.asarray() copies them");
        }
        if ((flags & PyBUF_WRITABLE) != 0 && !value.writable()) raise(PyExc_BufferError, "buffer source array is read-only");
        const bool needs_c = (flags & PyBUF_STRIDES) != PyBUF_STRIDES || (flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS;
        const bool needs_f = (flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS;
        const bool needs_any = (flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS;
        if ((needs_c && !value.is_c_contiguous()) || (needs_f && !value.is_f_contiguous()) ||
            (needs_any && !value.is_c_contiguous() && !value.is_f_contiguous())) {
            raise(PyExc_BufferError, "ndarray is not C-contiguous");
        }
        note_shown(value);
        auto layout = std::make_unique<BufferLayout>(BufferLayout{value.shape(), value.strides(), value, detail::lend(value)});
        view->buf = const_cast<void*>(detail::address_of(value));
        view->len = value.nbytes();
        view->itemsize = value.itemsize();
        view->readonly = value.writable() ? 0 : 1;
        view->ndim = (flags & PyBUF_ND) != 0 ? static_cast<int>(layout->shape.size()) : 1;  // without it, bytes in a row
        view->format = (flags & PyBUF_FORMAT) != 0 ? const_cast<char*>(format_of(value.dtype())) : nullptr;
        view->shape = (flags & PyBUF_ND) != 0 ? layout->shape.data() : nullptr;
        view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? layout->strides.data() : nullptr;
        view->suboffsets = nullptr;
        view->internal = layout.release();
        view->obj = Py_NewRef(self);
        return 0;
    });
}

void release_buffer(PyObject*, Py_buffer* view) { delete static_cast<BufferLayout*>(view->internal); }

// Its own attributes and those that NumPy's arrays have: they are found when they are asked for.
PyObject* list_attributes(PyObject* self, PyObject*) {
    return guarded([&] {
        const Ref own_names = own(PyObject_CallMethod(reinterpret_cast<PyObject*>(&PyBaseObject_Type), "__dir__", "O", self));
        const Ref names = own(PySet_New(own_names.get()));
        const Ref theirs = own(PyObject_Dir(reinterpret_cast<PyObject*>(&PyArray_Type)));
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(theirs.get()); ++i) {
            PyObject* name = PyList_GET_ITEM(theirs.get(), i);
            if (PyUnicode_READ_CHAR(name, 0) != '_') check(PySet_Add(names.get(), name));
        }
        return check(PySequence_List(names.get()));
    });
}

PyMethodDef protocol_methods[] = {
    {"__dir__", list_attributes, METH_NOARGS, nullptr},
    {"__sizeof__", size_of_object, METH_NOARGS, "__sizeof__($self, /)\n--\n\nThe size in memory, in bytes."},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, "ndarray[shape, dtype], for annotations, as numpy.ndarray's."},
    {"__array__", as_method(array_method), METH_VARARGS | METH_KEYWORDS,
     "__array__($self, dtype=None, /, *, copy=None)\n--\n\n"
     "The elements as numpy.ndarray; a view unless a copy is asked for, or they are shared on a device."},
    {"__dlpack__", as_method(dlpack_capsule), METH_VARARGS | METH_KEYWORDS,
     "__dlpack__($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
     "A DLPack capsule over the same memory, on the device that the array is at home on."},
    {"__dlpack_device__", dlpack_device_of, METH_NOARGS, "(1, 0): the CPU; (2, n): CUDA device n."},
    {"__reduce__", reduce, METH_NOARGS, "__reduce__($self, /)\n--\n\nFor pickling."},
    {"__copy__", copy, METH_NOARGS, "__copy__($self, /)\n--\n\nFor copy.copy."},
    {"__deepcopy__", copy, METH_O, "__deepcopy__($self, memo, /)\n--\n\nFor copy.deepcopy."},
    {"__array_wrap__", as_method(array_wrap), METH_VARARGS | METH_KEYWORDS,
     "__array_wrap__($self, array, context=None, return_scalar=False, /)\n--\n\nWhat NumPy computed, as an array of fastnp's."},
    {"__array_ufunc__", as_method(array_ufunc), METH_VARARGS | METH_KEYWORDS,
     "__array_ufunc__($self, ufunc, method, /, *inputs, **kwargs)\n--\n\nNumPy's ufuncs over fastnp arrays are fastnp's."},
    {"__array_function__", as_method(array_function), METH_VARARGS | METH_KEYWORDS,
     "__array_function__($self, func, types, args, kwargs, /)\n--\n\nNumPy's functions over fastnp arrays are fastnp's."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace fastnp::python
