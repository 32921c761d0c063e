// The elements of arrays for those who read them: as NumPy's arrays, as Python's numbers, and what stands in the way of that.
#include <complex>

#include "convert.h"
#include "tape.h"

#include "exchange.h"
#include "fastnp/detail/memory.h"
#include "fastnp/detail/once.h"
#include "fastnp/detail/shared.h"
#include "fastnp/detail/transform.h"
#include "fastnp/device.h"
#include "lent.h"

namespace fastnp::python {

namespace {

// An owner with memory that is lent to the host as long as this lives.
PyObject* lent_by(std::shared_ptr<void> lent, PyObject* owner) {
    using Lent = std::pair<std::shared_ptr<void>, Ref>;
    auto held = std::make_unique<Lent>(std::move(lent), Ref::borrow(owner));
    const auto release = [](PyObject* capsule) { delete static_cast<Lent*>(PyCapsule_GetPointer(capsule, nullptr)); };
    PyObject* capsule = check(PyCapsule_New(held.get(), nullptr, release));
    (void)held.release();
    return capsule;
}

PyObject* view_at(const void* address, const array& value, PyObject* owner) {
    const Shape shape = value.shape();
    const Strides strides = value.strides();
    const int flags = value.writable() ? NPY_ARRAY_WRITEABLE : 0;
    PyArray_Descr* descr = descr_of(value.dtype());
    if (descr == nullptr) throw PythonError{};
    void* data = const_cast<void*>(address);
    PyObject* view = check(PyArray_NewFromDescr(&PyArray_Type, descr, static_cast<int>(shape.size()), shape.data(), strides.data(), data, flags, nullptr));
    if (PyArray_SetBaseObject(as_numpy(view), Py_NewRef(owner)) < 0) {
        Py_DECREF(view);
        throw PythonError{};
    }
    return view;
}

Extent extent_at(const void* data, const Shape& shape, const Strides& strides, std::size_t itemsize) {
    const char *low = static_cast<const char*>(data), *high = low + itemsize;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] == 0) return {low, low};
        (strides[i] < 0 ? low : high) += (shape[i] - 1) * strides[i];
    }
    return {low, high};
}

}  // namespace

Extent extent_of(const array& x) { return extent_at(detail::address_of(x), x.shape(), x.strides(), itemsize_of(x.dtype())); }

Extent extent_of(PyArrayObject* x) {
    const auto rank = PyArray_NDIM(x);
    return extent_at(PyArray_DATA(x), Shape(PyArray_DIMS(x), PyArray_DIMS(x) + rank), Strides(PyArray_STRIDES(x), PyArray_STRIDES(x) + rank),
                     static_cast<std::size_t>(PyArray_ITEMSIZE(x)));
}

PyObject* numpy_view(const array& value, PyObject* owner) {
    note_shown(value);
    if (detail::is_shared(value)) {
        const Ref here = own(wrap(value.to("cpu")));
        PyObject* copy = view_at(detail::address_of(value_of(here.get())), value_of(here.get()), here.get());
        if (!value.writable()) PyArray_CLEARFLAGS(as_numpy(copy), NPY_ARRAY_WRITEABLE);
        return copy;
    }
    std::shared_ptr<void> lent = detail::lend(value);
    const Ref base = lent ? own(lent_by(std::move(lent), owner)) : Ref::borrow(owner);
    return view_at(detail::address_of(value), value, base.get());
}

PyObject* unread_view(const array& value, PyObject* owner) { return view_at(detail::address_of(value), value, owner); }

array readable(const array& value, const char* what) {
    if (recording == nullptr && detail::is_recording()) return detail::value_now(value);
    check_readable(value, what);
    return value;
}

PyObject* readable_view(PyObject* object, const char* what) {
    const array value = readable(value_of(object), what);
    const bool is_scalar = reinterpret_cast<NdArray*>(object)->scalar && detail::is_at_device(value);  // NumPy has no views of scalars
    if (value.body() == value_of(object).body() && !is_scalar) return numpy_view(value, object);
    const Ref owner = own(wrap(is_scalar ? value.to("cpu") : value));
    return numpy_view(value_of(owner.get()), owner.get());
}

void lose_derivative(const std::string& what) {
    raise(PyExc_TypeError, what +
                               " takes the elements of an array that is being differentiated or mapped over, and the derivative would be lost; "
                               "stop_gradient(x), or x.detach() on a tape, makes it a constant");
}

void keep_derivative(const array& value, const char* what) {
    if (recording == nullptr && (value.is_recorded() || detail::is_written_late(value)) && detail::is_differentiated(value)) lose_derivative(what);
}

PyObject* foreign_view(PyObject* object, const char* what) {
    keep_derivative(value_of(object), what);
    return readable_view(object, what);
}

PyObject* foreign_argument(PyObject* object, const char* what) {
    if (!reinterpret_cast<NdArray*>(object)->scalar) return foreign_view(object, what);
    return numpy_scalar(foreign_value(object, what));
}

void keep_number(PyObject* object, const char* what) {
    const array& value = value_of(object);
    if (!value.is_recorded() || !detail::is_marked(value)) return;
    const Ref place = own(PyObject_CallNoArgs(import_attribute("fastnp._stand_ins", "place").get()));
    const bool is_taped = reinterpret_cast<NdArray*>(object)->taped != nullptr;
    raise(PyExc_TypeError, std::string(what) + " (" + PyUnicode_AsUTF8(place.get()) +
                               ") makes a plain number of an array that is being differentiated, and the derivative would be lost; leave it an array "
                               "(comparisons and NumPy's functions take it), or " +
                               (is_taped ? "read x.detach(), or read it after backward()" : "stop_gradient(x) makes it a constant"));
}

array foreign_value(PyObject* object, const char* what) {
    keep_derivative(value_of(object), what);
    return readable(value_of(object), what);
}

PyObject* read_element(const array& value) {
    switch (kind_of(value.dtype())) {
        case 'b': return PyBool_FromLong(static_cast<long>(value.item<bool>()));
        case 'i': return check(PyLong_FromLongLong(value.item<std::int64_t>()));
        case 'u': return check(PyLong_FromUnsignedLongLong(value.item<std::uint64_t>()));
        case 'c': {
            const auto number = value.item<std::complex<double>>();
            return check(PyComplex_FromDoubles(number.real(), number.imag()));
        }
        default: return check(PyFloat_FromDouble(value.item<double>()));
    }
}

namespace {

constexpr std::int64_t most_read = 64;  // elements of an array read at once while recording

PyObject* read_nested(const array& value) {
    if (value.ndim() == 0) return read_element(value);
    const Ref items = own(PyList_New(value.shape(0)));
    for (std::int64_t i = 0; i < value.shape(0); ++i) PyList_SET_ITEM(items.get(), i, read_nested(value.index({Index(i)})));
    return Py_NewRef(items.get());
}

}  // namespace

PyObject* readable_copy(PyObject* object, const char* what) {
    const array& value = value_of(object);
    if (recording == nullptr) {
        if (reinterpret_cast<NdArray*>(object)->scalar && !value.is_recorded()) return numpy_scalar(value);
        if (value.is_recorded() || value.device() == "cpu") return readable_view(object, what);
        const Ref here = own(wrap(value.to("cpu")));  // a view would keep it from the device
        return readable_view(here.get(), what);
    }
    if (value.size() > most_read) refuse(std::string(what) + " reads all values of an array");
    const Ref nested = own(read_nested(undifferentiated(value)));
    const Ref descr(reinterpret_cast<PyObject*>(descr_of(value.dtype())));
    if (reinterpret_cast<NdArray*>(object)->scalar) {
        const Ref type = own(PyObject_GetAttrString(descr.get(), "type"));
        return check(PyObject_CallOneArg(type.get(), nested.get()));
    }
    Shape shape = value.shape();
    const Ref flat = own(PyArray_FromAny(nested.get(), reinterpret_cast<PyArray_Descr*>(Py_NewRef(descr.get())), 0, 0, NPY_ARRAY_CARRAY, nullptr));
    PyArray_Dims dims{shape.data(), static_cast<int>(shape.size())};
    return check(PyArray_Newshape(as_numpy(flat.get()), &dims, NPY_CORDER));
}

}  // namespace fastnp::python
