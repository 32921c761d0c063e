// See foreign.h.
#include "foreign.h"

#include "convert.h"
#include "fastnp/detail/lies_in.h"
#include "lying.h"

namespace fastnp::python {

namespace {

// The elements in C order, whatever the layout.
Ref bytes_of(PyArrayObject* source) { return own(PyArray_ToString(source, NPY_CORDER)); }

}  // namespace

void note_foreign(PyArrayObject* source) {
    if (recording == nullptr) return;
    for (const Recording::Foreign& known : recording->foreign) {
        if (known.object.get() == reinterpret_cast<PyObject*>(source)) return;
    }
    recording->foreign.push_back({Ref::borrow(reinterpret_cast<PyObject*>(source)), bytes_of(source)});
}

void check_foreign(const Recording& now) {
    for (const Recording::Foreign& known : now.foreign) {
        const Ref bytes = bytes_of(as_numpy(known.object.get()));
        if (PyObject_RichCompareBool(bytes.get(), known.bytes.get(), Py_EQ) != 1) throw RecordError("writes into an array that NumPy made");
    }
}

array own_copy(PyArrayObject* source) {
    const Likeness likeness(source);
    const Ref whole = likeness.whole();
    const array value = from_numpy(as_numpy(whole.get()));
    return likeness.again(array::from_elements(value.data(), value.dtype(), value.shape()));
}

void check_handed_out(std::span<PyObject* const> arrays, std::size_t parameters) {
    for (PyObject* object : arrays) {
        if (detail::parameter_under(value_of(object)) >= static_cast<int>(parameters)) throw RecordError("hands out an array that NumPy made");
    }
}

}  // namespace fastnp::python
