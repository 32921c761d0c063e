// Methods and properties of fastnp.ndarray that are not functions of the module, and numpy.ndarray's others by fallback.
#include <algorithm>
#include <vector>

#include "array_class.h"
#include "as_method.h"
#include "elements.h"
#include "exchange.h"
#include "fastnp/detail/layout.h"
#include "fastnp/detail/memory.h"
#include "fastnp/detail/shared.h"
#include "fastnp/detail/size.h"
#include "fastnp/detail/transform.h"
#include "fastnp/device.h"
#include "flat.h"
#include "float_errors.h"
#include "function_bodies.h"
#include "ndarray.h"
#include "size.h"
#include "tape.h"

namespace fastnp::python {

namespace {

NdArray* as_object(PyObject* self) { return reinterpret_cast<NdArray*>(self); }

// a.reshape(2, 3) and a.reshape((2, 3)): the positional arguments as one object.
PyObject* packed(PyObject* const* args, Py_ssize_t nargs) {
    if (nargs == 1) return Py_NewRef(args[0]);
    Ref tuple = own(PyTuple_New(nargs));
    for (Py_ssize_t i = 0; i < nargs; ++i) PyTuple_SET_ITEM(tuple.get(), i, Py_NewRef(args[i]));
    return tuple.release();
}

// The same call on a view, by NumPy.
PyObject* numpy_method(const char* name, PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    std::vector<PyObject*> all{self};
    all.insert(all.end(), args, args + nargs + (kwnames == nullptr ? 0 : PyTuple_GET_SIZE(kwnames)));
    return call_numpy((std::string("ndarray.") + name).c_str(), all.data(), nargs + 1, kwnames);
}

using Method = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t);

// While recording, of what is a NumPy scalar when run as written, the result is one too.
PyObject* like_self(PyObject* self, array value) {
    const bool scalar = reinterpret_cast<NdArray*>(self)->scalar && value.ndim() == 0;
    return wrap(std::move(value), nullptr, scalar);
}

// Without keywords natively, with them by NumPy.
template <Method method>
PyObject* positional(const char* name, PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return guarded([&]() -> PyObject* {
        try {
            if (kwnames != nullptr && PyTuple_GET_SIZE(kwnames) > 0) throw NeedsNumpy{};
            return method(self, args, nargs);
        } catch (const NeedsNumpy&) {
            return numpy_method(name, self, args, nargs, kwnames);
        }
    });
}

// The same with order= for the only keyword, which is null without it.
using OrderedMethod = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
template <OrderedMethod method>
PyObject* ordered(const char* name, PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return guarded([&]() -> PyObject* {
        try {
            const Py_ssize_t count = kwnames == nullptr ? 0 : PyTuple_GET_SIZE(kwnames);
            if (count > 1 || (count == 1 && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, 0), "order") != 0)) throw NeedsNumpy{};
            return method(self, args, nargs, count == 0 ? nullptr : args[nargs]);
        } catch (const NeedsNumpy&) {
            return numpy_method(name, self, args, nargs, kwnames);
        }
    });
}

PyObject* reshape_method(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* order) {
    if (PyObject* view = order == nullptr ? quick_reshaped(self, args, nargs) : nullptr) return view;
    if (nargs == 1 && args[0] == Py_None) throw NeedsNumpy{};
    const Ref shape = own(packed(args, nargs));
    return wrap_view(reshape(value_of(self), to_sizes(shape.get()), to_order(order, Order::c)), self);
}

PyObject* transpose_method(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
    if (PyObject* view = nargs == 0 ? quick_transposed(self) : nullptr) return view;
    if (nargs == 0 || (nargs == 1 && args[0] == Py_None)) return wrap_view(transpose(value_of(self)), self);
    const Ref axes = own(packed(args, nargs));
    return wrap_view(transpose(value_of(self), to_shape(axes.get())), self);
}

// order= by its place or by its name.
Order only_order(PyObject* const* args, Py_ssize_t nargs, PyObject* named) {
    if (nargs > 1 || (nargs == 1 && named != nullptr)) throw NeedsNumpy{};
    return to_order(nargs == 1 ? args[0] : named, Order::c);
}

PyObject* copy_method(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* order) {
    if (PyObject* made = nargs == 0 && order == nullptr ? quick_copy(self) : nullptr) return made;
    return like_self(self, value_of(self).copy(only_order(args, nargs, order)));
}

PyObject* flatten_method(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* order) {
    const Order read = only_order(args, nargs, order);
    const bool is_fixed = read == Order::c || read == Order::f;
    return wrap(is_fixed ? ravel(value_of(self).copy(read), read) : ravel(value_of(self), read).copy());
}

PyObject* conjugate_method(PyObject* self, PyObject* const*, Py_ssize_t nargs) {
    if (nargs > 0) throw NeedsNumpy{};
    if (!is_complex(value_of(self).dtype())) return Py_NewRef(self);
    return wrap_scalar(conjugate(value_of(self)));
}

PyObject* fill_method(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
    if (nargs != 1) raise(PyExc_TypeError, "fill() takes exactly 1 argument");
    const bool is_scalar = reinterpret_cast<NdArray*>(self)->scalar;  // an array that NumPy makes of it is filled, and is gone
    const Ref filled = is_scalar ? own(wrap(value_of(self).copy())) : own(Py_NewRef(self));
    fill_with(filled.get(), args[0]);
    return Py_NewRef(Py_None);
}

PyObject* item_method(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
    if (PyObject* found = quick_number(self, args, nargs)) return found;
    keep_number(self, "item()");
    const Ref view = own(readable_copy(self, "item()"));
    const Ref method = own(PyObject_GetAttrString(view.get(), "item"));
    return check(PyObject_Vectorcall(method.get(), args, static_cast<std::size_t>(nargs), nullptr));
}

PyObject* tolist_method(PyObject* self, PyObject* const*, Py_ssize_t nargs) {
    if (PyObject* found = nargs == 0 ? quick_list(self) : nullptr) return found;
    keep_number(self, "tolist()");
    const Ref view = own(readable_copy(self, "tolist()"));
    return check(PyObject_CallMethod(view.get(), "tolist", nullptr));
}

PyObject* complex_method(PyObject* self, PyObject* const*, Py_ssize_t) {
    keep_number(self, "complex()");
    const Ref view = own(readable_copy(self, "complex()"));
    return check(PyObject_CallOneArg(reinterpret_cast<PyObject*>(&PyComplex_Type), view.get()));
}

PyObject* format_method(PyObject* self, PyObject* const* args, Py_ssize_t) {
    const Ref view = own(readable_copy(self, "format()"));
    return check(PyObject_Format(view.get(), args[0]));
}

#define POSITIONAL(name, python_name)                                                                   \
    PyObject* name##_call(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) { \
        return positional<&name##_method>(python_name, self, args, nargs, kwnames);                     \
    }
POSITIONAL(transpose, "transpose")
POSITIONAL(conjugate, "conjugate")
POSITIONAL(fill, "fill")
POSITIONAL(item, "item")
POSITIONAL(tolist, "tolist")
POSITIONAL(complex, "__complex__")
POSITIONAL(format, "__format__")
#undef POSITIONAL

#define ORDERED(name)                                                                                   \
    PyObject* name##_call(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) { \
        return ordered<&name##_method>(#name, self, args, nargs, kwnames);                              \
    }
ORDERED(reshape)
ORDERED(copy)
ORDERED(flatten)
#undef ORDERED

PyObject* astype_call(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    static const Signature signature("astype", "self, dtype, order='K', casting='unsafe', subok=True, copy=True");
    return guarded([&]() -> PyObject* {
        try {
            PyObject* v[Signature::most] = {};
            signature.bind(self, args, nargs, kwnames, v);
            const Casting casting = v[3] == nullptr ? Casting::unsafe : to_casting(v[3]);
            const Dtype dtype = to_dtype(v[1]).value_or(Dtype::float64);
            const Order order = to_order(v[2], Order::keep);
            const array& value = value_of(self);
            if (v[5] != nullptr && !is_true(v[5]) && dtype == value.dtype() && lies_in(value, order)) return Py_NewRef(self);
            FloatWatch watch("ndarray.astype", args, nargs, kwnames);
            watch.set_first(self);
            watch.set_result(dtype);
            return watched(watch, [&] {
                array made = value.astype(dtype, casting);
                return like_self(self, order == Order::keep ? std::move(made) : detail::laid_like(made, value, order));
            });
        } catch (const NeedsNumpy&) {
            return numpy_method("astype", self, args, nargs, kwnames);
        }
    });
}

// In place: the array gets other memory where it has another number of elements.
PyObject* resize(PyObject* self, PyObject* args, PyObject* keywords) {
    return guarded([&]() -> PyObject* {
        if (as_object(self)->scalar) {  // an array that NumPy makes of it is resized, and is gone
            const Ref method = own(PyObject_GetAttrString(own(numpy_scalar(foreign_value(self, "resize"))).get(), "resize"));
            return check(PyObject_Call(method.get(), args, keywords));
        }
        static const char* names[] = {"refcheck", nullptr};
        int refcheck = 1;
        const Ref none = own(PyTuple_New(0));
        if (keywords != nullptr) {
            PyObject* const check_references = PyDict_GetItemString(keywords, "refcheck");
            if (check_references != nullptr && !PyLong_Check(check_references)) (void)own(PyNumber_Index(check_references));
        }
        if (PyArg_ParseTupleAndKeywords(none.get(), keywords, "|$p:resize", const_cast<char**>(names), &refcheck) == 0) throw PythonError{};
        const Py_ssize_t given = PyTuple_GET_SIZE(args);
        if (given == 0 || (given == 1 && PyTuple_GET_ITEM(args, 0) == Py_None)) return Py_NewRef(Py_None);
        // An error and no break: in a recording it has all of the function run as written, as the parts of one that is cut own no arrays.
        if (recording != nullptr || value_of(self).is_recorded()) raise(PyExc_ValueError, "cannot resize this array: it is part of a recording");
        const Shape shape = to_shape(given == 1 ? PyTuple_GET_ITEM(args, 0) : args);
        const array before = value_of(self);
        std::int64_t count = 1;
        for (const std::int64_t size : shape) {
            if (size < 0) raise(PyExc_ValueError, "negative dimensions not allowed");
            count *= size;
        }
        if (!before.is_c_contiguous()) raise(PyExc_ValueError, "resize only works on single-segment arrays");
        if (count == before.size()) {
            as_object(self)->value = reshape(before, shape);
            return Py_NewRef(Py_None);
        }
        if (as_object(self)->base != nullptr) raise(PyExc_ValueError, "cannot resize this array: it does not own its data");
        if (refcheck != 0 && as_object(self)->weakrefs != nullptr) {
            raise(PyExc_ValueError, "cannot resize an array that references or is referenced\nby another array in this way. Use the np.resize function.");
        }
        if (refcheck != 0 && Py_REFCNT(self) > 2) {
            raise(PyExc_ValueError,
                  "cannot resize an array that references or is referenced\nby another array in this way.\nUse the np.resize function or refcheck=False");
        }
        const array after = zeros({count}, before.dtype());
        const Slice common{0, std::min(count, before.size()), 1};
        after.index({Index(common)}) = Operand(ravel(before).index({Index(common)}));
        as_object(self)->value = reshape(after, shape);
        return Py_NewRef(Py_None);
    });
}

int refuse_device(PyObject*, PyObject*, void*) {
    PyErr_SetString(PyExc_AttributeError, "attribute 'device' of 'ndarray' objects is not writable");
    return -1;
}

PyObject* get_shape(PyObject* self, void*) {
    return guarded([&] {
        if (!value_of(self).is_recorded()) {
            const Shape shape = value_of(self).shape();
            return to_tuple({shape.data(), shape.size()});
        }
        const Shape sizes = detail::symbolic_shape(value_of(self));
        Ref tuple = own(PyTuple_New(static_cast<Py_ssize_t>(sizes.size())));
        for (std::size_t i = 0; i < sizes.size(); ++i) PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), size_object(sizes[i]));
        return tuple.release();
    });
}
PyObject* get_strides(PyObject* self, void*) {
    return guarded([&] {
        const Strides strides = value_of(self).strides();
        return to_tuple({strides.data(), strides.size()});
    });
}
PyObject* get_dtype(PyObject* self, void*) {
    return guarded([&] { return check(reinterpret_cast<PyObject*>(descr_of(value_of(self).dtype()))); });
}
// What NumPy asks an object that is given as a dtype: an array is none, what stands for a scalar has one.
PyObject* get_numpy_dtype(PyObject* self, void* closure) {
    return guarded([&]() -> PyObject* {
        if (!reinterpret_cast<NdArray*>(self)->scalar) raise(PyExc_TypeError, "Cannot construct a dtype from an array");
        return get_dtype(self, closure);
    });
}
PyObject* get_ndim(PyObject* self, void*) {
    return guarded([&] { return PyLong_FromLong(value_of(self).ndim()); });
}
PyObject* get_size(PyObject* self, void*) {
    return guarded([&] {
        const array& value = value_of(self);
        return size_object(value.is_recorded() ? detail::symbolic_size(value) : value.size());
    });
}
PyObject* get_itemsize(PyObject* self, void*) {
    return guarded([&] { return PyLong_FromLongLong(value_of(self).itemsize()); });
}
PyObject* get_nbytes(PyObject* self, void*) {
    return guarded([&]() -> PyObject* {
        const array& value = value_of(self);
        if (!value.is_recorded()) return PyLong_FromLongLong(value.nbytes());
        const Ref size = own(size_object(detail::symbolic_size(value))), width = own(PyLong_FromLongLong(value.itemsize()));
        return check(PyNumber_Multiply(size.get(), width.get()));
    });
}
PyObject* get_base(PyObject* self, void*) {
    return guarded([&] {
        if (recording != nullptr) refuse("asks for an array's base");
        return Py_NewRef(as_object(self)->base != nullptr ? as_object(self)->base : Py_None);
    });
}
PyObject* get_device(PyObject* self, void*) {
    return guarded([&] {
        const array& own_value = as_object(self)->value;  // of one that gradients are taken with respect to its memory
        return PyUnicode_InternFromString((own_value.is_recorded() ? value_of(self) : own_value).device().c_str());
    });
}
PyObject* to_device(PyObject* self, PyObject* name) {
    return guarded([&] {
        if (!PyUnicode_Check(name)) raise(PyExc_TypeError, std::string("to() takes the name of a device, not ") + Py_TYPE(name)->tp_name);
        const array& value = value_of(self);
        array there = value.to(PyUnicode_AsUTF8(name));
        return there.body() == value.body() ? Py_NewRef(self) : wrap(std::move(there));
    });
}
PyObject* get_t(PyObject* self, void*) {
    return guarded([&] {
        PyObject* const view = quick_transposed(self);
        return view != nullptr ? view : wrap_view(value_of(self).T(), self);
    });
}
PyObject* get_mt(PyObject* self, void*) {
    return guarded([&] {
        if (value_of(self).ndim() < 2) throw ValueError("matrix transpose with ndim < 2 is undefined");
        PyObject* values[Signature::most] = {self};
        return matrix_transpose_body(values);
    });
}
PyObject* get_real(PyObject* self, void*) {
    return guarded([&] {
        PyObject* values[Signature::most] = {self};
        return real_body(values);
    });
}
PyObject* get_imag(PyObject* self, void*) {
    return guarded([&] {
        PyObject* values[Signature::most] = {self};
        return imag_body(values);
    });
}

// Through a NumPy view: what is an object of NumPy's, or an address.
PyObject* by_view(PyObject* self, void* name) {
    return guarded([&] {
        const Ref view = own(foreign_view(self, static_cast<const char*>(name)));
        return check(PyObject_GetAttrString(view.get(), static_cast<const char*>(name)));
    });
}

// The same of what lies on the host alone: to NumPy an array on a device has no interface, and gives its elements by __array__.
PyObject* get_interface(PyObject* self, void* name) {
    return guarded([&] {
        const array value = foreign_value(self, static_cast<const char*>(name));
        if (value.device() != "cpu") raise(PyExc_AttributeError, "an array on device '" + value.device() + "' has no " + static_cast<const char*>(name));
        (void)value.data();  // the address may be used when nothing else is left of the view
        return by_view(self, name);
    });
}

PyObject* get_address(PyObject* self, void* name) {
    return guarded([&] {
        (void)detail::lend(foreign_value(self, static_cast<const char*>(name)));  // refused for what is shared on a device
        return by_view(self, name);
    });
}

// Of the layout alone: the elements may stay where they are.
PyObject* get_flags(PyObject* self, void*) {
    return guarded([&] {
        const array value = foreign_value(self, "flags");
        const Ref view = own(value.device() == "cpu" ? foreign_view(self, "flags") : unread_view(value, self));
        PyArrayObject* const shown = as_numpy(view.get());
        const bool owns = as_object(self)->base == nullptr;
        if (owns) PyArray_ENABLEFLAGS(shown, NPY_ARRAY_OWNDATA);  // for what the flags say, which are read at once
        Ref flags(PyObject_GetAttrString(view.get(), "flags"));
        if (owns) PyArray_CLEARFLAGS(shown, NPY_ARRAY_OWNDATA);
        flags = own(flags.release());
        static PyObject* type = nullptr;
        kept_attribute(type, "fastnp._flags", "Flags");
        return check(PyObject_CallFunctionObjArgs(type, self, flags.get(), nullptr));
    });
}

// `value` is null where the attribute is deleted.

// x.real = value, x.imag = value.
template <PyObject* (*part)(PyObject*, void*)>
int set_part(PyObject* self, PyObject* value, void* name) {
    return guarded_int([&] {
        const bool is_real = static_cast<const char*>(name)[0] == 'r';
        refuse_scalar(self, static_cast<const char*>(name));
        refuse_deletion(value, is_real ? "real part" : "imaginary part");
        if (!is_real && !is_complex(value_of(self).dtype())) raise(PyExc_TypeError, "array does not have imaginary part to set");
        const Ref shown = own(part(self, nullptr));
        if (set_item(shown.get(), Py_Ellipsis, value) < 0) throw PythonError{};
        return 0;
    });
}

int set_shape(PyObject* self, PyObject* value, void*) {
    return guarded_int([&] {
        refuse_scalar(self, "shape");
        refuse_deletion(value, "shape");
        if (recording != nullptr) refuse("writing an array's shape");
        array reshaped = reshape(value_of(self), to_shape(value));
        if (detail::address_of(reshaped) != detail::address_of(value_of(self))) {
            raise(PyExc_AttributeError, "Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the desired shape.");
        }
        as_object(self)->value = std::move(reshaped);
        return 0;
    });
}

// Whether what an array is a view of, or that one of, ... can be written to.
bool is_writable_base(PyObject* base) {
    if (base == nullptr) return true;
    for (PyObject* each = base; each != nullptr;) {
        if (is_ndarray(each)) {
            if (value_of(each).writable()) return true;
            each = as_object(each)->base;
        } else if (PyArray_Check(each)) {
            if (PyArray_ISWRITEABLE(as_numpy(each))) return true;
            each = PyArray_BASE(as_numpy(each));
        } else {
            Py_buffer view;
            if (PyObject_GetBuffer(each, &view, PyBUF_WRITABLE) == 0) {
                PyBuffer_Release(&view);
                return true;
            }
            PyErr_Clear();
            return false;
        }
    }
    return false;
}

PyObject* setflags(PyObject* self, PyObject* args, PyObject* keywords) {
    return guarded([&] {
        static const char* names[] = {"write", "align", "uic", nullptr};
        PyObject *write = Py_None, *align = Py_None, *uic = Py_None;
        if (PyArg_ParseTupleAndKeywords(args, keywords, "|OOO", const_cast<char**>(names), &write, &align, &uic) == 0) throw PythonError{};
        if (write != Py_None) {
            const bool writable = is_true(write);
            if (writable && !value_of(self).writable() && !is_writable_base(as_object(self)->base)) {
                raise(PyExc_ValueError, "cannot set WRITEABLE flag to True of this array");
            }
            array own_handle = detail::read_only(as_object(self)->value);  // others may share the one that it has
            own_handle.set_writable(writable);
            as_object(self)->value = std::move(own_handle);
        }
        return Py_NewRef(Py_None);
    });
}

}  // namespace

// numpy.ndarray's other methods, on a view.
PyObject* get_attribute(PyObject* self, PyObject* name) {
    PyObject* found = PyObject_GenericGetAttr(self, name);
    if (found != nullptr || PyErr_ExceptionMatches(PyExc_AttributeError) == 0) return found;
    const char* text = PyUnicode_AsUTF8(name);
    if (text == nullptr || (text[0] == '_' && text[1] == '_')) return nullptr;
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    if (PyObject_HasAttr(reinterpret_cast<PyObject*>(&PyArray_Type), name) == 0) {
        PyObject* const of_scalar = guarded([&] { return scalar_attribute(self, name); });
        if (of_scalar == nullptr && PyErr_Occurred() == nullptr) {
            PyErr_Restore(type, value, trace);
            return nullptr;
        }
        const Ref held_type(type), held_value(value), held_trace(trace);
        return of_scalar;
    }
    const Ref held_type(type), held_value(value), held_trace(trace);
    return guarded([&] {
        const Ref method = import_attribute("fastnp._fallback", "method");
        return check(PyObject_CallFunctionObjArgs(method.get(), self, name, nullptr));
    });
}

#define FAST(name, function, doc) {name, as_method(function), METH_FASTCALL | METH_KEYWORDS, doc}
PyMethodDef methods[] = {
    FAST("reshape", reshape_call,
         "reshape($self, *shape, order='C', copy=None)\n--\n\nThe same elements under another shape; a view where the strides allow."),
    FAST("transpose", transpose_call, "transpose($self, *axes)\n--\n\nA view with the axes in another order."),
    FAST("copy", copy_call, "copy($self, order='C')\n--\n\nA copy, in C order unless told otherwise."),
    FAST("flatten", flatten_call, "flatten($self, order='C')\n--\n\nA copy of rank 1."),
    FAST("conj", conjugate_call, "conj($self)\n--\n\nComplex conjugate."),
    FAST("conjugate", conjugate_call, "conjugate($self)\n--\n\nComplex conjugate."),
    FAST("fill", fill_call, "fill($self, value)\n--\n\nSets every element."),
    FAST("item", item_call, "item($self, *args)\n--\n\nAn element as a Python number."),
    FAST("tolist", tolist_call, "tolist($self)\n--\n\nThe elements as nested lists of Python numbers."),
    FAST("astype", astype_call, "astype($self, dtype, order='K', casting='unsafe', subok=True, copy=True)\n--\n\nThe elements converted."),
    FAST("sort", sort_in_place, "sort($self, axis=-1, kind=None, order=None, *, stable=None)\n--\n\nSorts in place."),
    FAST("__complex__", complex_call, nullptr),
    FAST("__format__", format_call, nullptr),
    {"backward", as_method(backward), METH_VARARGS | METH_KEYWORDS,
     "backward($self, gradient=None, retain_graph=False, create_graph=False)\n--\n\nAdds its derivatives, weighted by `gradient`, to the `grad` of the "
     "arrays "
     "that it was computed from and that require one; as torch.Tensor.backward. With create_graph, these can be differentiated again."},
    {"resize", as_method(resize), METH_VARARGS | METH_KEYWORDS,
     "resize($self, *new_shape, refcheck=True)\n--\n\nGives it another shape in place; new elements are 0."},
    {"to", to_device, METH_O,
     "to($self, device, /)\n--\n\nThe array on a device (\"cpu\", \"cuda\", \"cuda:1\", ...): itself if it is there, else a copy."},
    {"__array_namespace__", as_method(array_namespace), METH_VARARGS | METH_KEYWORDS,
     "__array_namespace__($self, /, *, api_version=None)\n--\n\nThis package, by the Array API standard."},
    {"detach", detach, METH_NOARGS, "detach($self)\n--\n\nAn array of the same elements that no gradient flows through."},
    {"setflags", as_method(setflags), METH_VARARGS | METH_KEYWORDS,
     "setflags($self, write=None, align=None, uic=None)\n--\n\nMakes it read-only or writable."},
    {nullptr, nullptr, 0, nullptr}};
#undef FAST

// Series and DataFrames leave their operators to what is above them, where an array's reflected one has them meet a NumPy array, which they know. Their
// in-place methods do not expect that.
PyObject* get_pandas_priority(PyObject*, void*) {
    return guarded([]() -> PyObject* {
        if (records()) raise(PyExc_AttributeError, "__pandas_priority__");  // where an array leaves operators to them
        constexpr long above_all = 5000;
        PyFrameObject* const asking = PyEval_GetFrame();
        if (asking != nullptr) {
            const Ref caller(reinterpret_cast<PyObject*>(PyFrame_GetBack(asking)));
            if (caller) {
                const Ref code = own(reinterpret_cast<PyObject*>(PyFrame_GetCode(reinterpret_cast<PyFrameObject*>(caller.get()))));
                const Ref name = own(PyObject_GetAttrString(code.get(), "co_name"));
                if (PyUnicode_CompareWithASCIIString(name.get(), "_inplace_method") == 0) raise(PyExc_AttributeError, "__pandas_priority__");
            }
        }
        return check(PyLong_FromLong(above_all));
    });
}

PyGetSetDef properties[] = {
    {"shape", get_shape, set_shape, "Sizes of the axes.", nullptr},
    {"strides", get_strides, set_layout, "Bytes from an element to the next along each axis.", const_cast<char*>("strides")},
    {"dtype", get_dtype, set_layout, "The element type, a numpy.dtype.", const_cast<char*>("dtype")},
    {"__numpy_dtype__", get_numpy_dtype, nullptr, nullptr, nullptr},
    {"ndim", get_ndim, nullptr, "The number of axes.", nullptr},
    {"size", get_size, nullptr, "The number of elements.", nullptr},
    {"itemsize", get_itemsize, nullptr, "Bytes an element takes.", nullptr},
    {"nbytes", get_nbytes, nullptr, "Bytes the elements take.", nullptr},
    {"base", get_base, nullptr, "The object whose memory this is a view of, or None.", nullptr},
    {"__cuda_array_interface__", cuda_array_interface, nullptr,
     "The CUDA Array Interface, version 3, of an array on a CUDA device, where it is shared from then on.", nullptr},
    {"device", get_device, refuse_device, "The device that its elements are on: \"cpu\", \"cuda:0\", ...", nullptr},
    {"requires_grad", get_requires_grad, set_requires_grad, "Whether gradients with respect to it are recorded.", nullptr},
    {"grad", get_grad, set_grad, "The gradient that backward() calls added up, or None.", nullptr},
    {"is_leaf", get_is_leaf, nullptr, "Whether it is no result of recorded computations.", nullptr},
    {"T", get_t, nullptr, "A view with the axes reversed.", nullptr},
    {"mT", get_mt, nullptr, "A view with the last two axes swapped.", nullptr},
    {"real", get_real, set_part<get_real>, "The real part; a view.", const_cast<char*>("real")},
    {"imag", get_imag, set_part<get_imag>, "The imaginary part; a view.", const_cast<char*>("imag")},
    {"flat", get_flat, set_flat, "An iterator over the elements.", nullptr},
    {"flags", get_flags, nullptr, "Information about the memory layout.", nullptr},
    {"ctypes", get_address, nullptr, "For use with ctypes.", const_cast<char*>("ctypes")},
    {"data", get_address, nullptr, "A memoryview of the elements.", const_cast<char*>("data")},
    {"__array_struct__", get_interface, nullptr, "NumPy's array interface of C, of arrays on the host.", const_cast<char*>("__array_struct__")},
    {"__array_interface__", get_interface, nullptr, "NumPy's array interface, of arrays on the host.", const_cast<char*>("__array_interface__")},
    {"__pandas_priority__", get_pandas_priority, nullptr, "Above that of pandas' own.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace fastnp::python
