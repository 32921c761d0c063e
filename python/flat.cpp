#include "flat.h"

#include <vector>

#include "array_class.h"
#include "common.h"
#include "convert.h"
#include "fastnp/detail/shared.h"

namespace fastnp::python {

// In place, by NumPy's sort on the same memory: this one does not return an array.
PyObject* sort_in_place(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return guarded([&] {
        if (value_of(self).is_recorded()) {
            static PyObject* sort = nullptr;
            kept_attribute(sort, "fastnp._flat", "sort_in_place");
            std::vector<PyObject*> all{self};
            all.insert(all.end(), args, args + nargs + (kwnames == nullptr ? 0 : PyTuple_GET_SIZE(kwnames)));
            return check(PyObject_Vectorcall(sort, all.data(), static_cast<std::size_t>(nargs) + 1, kwnames));
        }
        const Ref view = own(readable_view(self, "sort() in place"));
        const Ref method = own(PyObject_GetAttrString(view.get(), "sort"));
        return check(PyObject_Vectorcall(method.get(), args, static_cast<std::size_t>(nargs), kwnames));
    });
}

// Of elements that are shared on a device, an iterator over a copy, which must not be written to.
PyObject* get_flat(PyObject* self, void*) {
    return guarded([&] {
        static PyObject *flatiter = nullptr, *recorded = nullptr;
        if (value_of(self).is_recorded()) {
            kept_attribute(recorded, "fastnp._flat", "RecordedFlat");
            return check(PyObject_CallOneArg(recorded, self));
        }
        const Ref view = own(foreign_view(self, "flat"));
        if (detail::is_shared(value_of(self))) PyArray_CLEARFLAGS(as_numpy(view.get()), NPY_ARRAY_WRITEABLE);
        const Ref theirs = own(PyObject_GetAttrString(view.get(), "flat"));
        if (recording != nullptr) return Py_NewRef(theirs.get());
        kept_attribute(flatiter, "fastnp._flat", "flatiter");
        return check(PyObject_CallFunctionObjArgs(flatiter, theirs.get(), self, nullptr));
    });
}

int set_flat(PyObject* self, PyObject* value, void*) {
    return guarded_int([&] {
        refuse_scalar(self, "flat");
        refuse_deletion(value, "flat iterator");
        if (value_of(self).is_recorded()) {
            const Ref flat = own(PyObject_GetAttrString(self, "flat"));
            if (PyObject_SetItem(flat.get(), Py_Ellipsis, value) != 0) throw PythonError{};
            return 0;
        }
        const Ref view = own(foreign_view(self, "flat"));
        const Ref plain = is_ndarray(value) ? own(readable_view(value, "an assignment")) : Ref::borrow(value);
        check(PyObject_SetAttrString(view.get(), "flat", plain.get()));
        if (detail::is_shared(value_of(self))) array(value_of(self)) = from_numpy(as_numpy(view.get()));  // it was written into a copy
        return 0;
    });
}

}  // namespace fastnp::python
