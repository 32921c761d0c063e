#include "instances.h"

#include <algorithm>

namespace fastnp::python {

namespace {

constexpr int most_by_identity = 2;  // objects of one class
constexpr std::size_t most_classes = 64;

}  // namespace

// Its memory is an object's, perhaps with places for a dict and for weak references.
bool is_plain_instance(PyObject* object) {
    PyTypeObject* const type = Py_TYPE(object);
    if ((type->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0 || Py_TYPE(type) != &PyType_Type || PyType_Check(object)) return false;
    if (type->tp_getattro != PyObject_GenericGetAttr || type->tp_setattro != PyObject_GenericSetAttr || type->tp_finalize != nullptr) return false;
    if (type->tp_itemsize != 0 || type->tp_basicsize > PyBaseObject_Type.tp_basicsize + 2 * static_cast<Py_ssize_t>(sizeof(void*))) return false;
    for (PyTypeObject* base = type->tp_base; base != &PyBaseObject_Type; base = base->tp_base) {
        if (base == nullptr || (base->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0) return false;
    }
    const Ref fields(PyObject_GenericGetDict(object, nullptr));
    if (!fields) PyErr_Clear();
    return fields && PyDict_CheckExact(fields.get());
}

bool Instances::takes_apart(PyTypeObject* type) const {
    return std::any_of(seen_.begin(), seen_.end(),
                       [&](const Seen& each) { return each.is_apart && each.type.get() == reinterpret_cast<PyObject*>(type); });
}

bool Instances::note(PyObject* object) {
    if (is_refused_ || !is_plain_instance(object)) return false;
    auto* const type = reinterpret_cast<PyObject*>(Py_TYPE(object));
    auto known = std::find_if(seen_.begin(), seen_.end(), [&](const Seen& each) { return each.type.get() == type; });
    if (known == seen_.end()) {
        if (seen_.size() >= most_classes) return false;
        known = seen_.insert(seen_.end(), Seen{Ref::borrow(type)});
    }
    if (known->last != object) ++known->count;
    known->last = object;
    known->is_apart = known->count > most_by_identity;
    return known->is_apart;
}

bool Instances::refuse() {
    const bool any = std::any_of(seen_.begin(), seen_.end(), [](const Seen& each) { return each.is_apart; });
    seen_.clear();
    is_refused_ = true;
    return any;
}

}  // namespace fastnp::python
