#include "lent.h"

#include <unordered_map>

#include "convert.h"
#include "fastnp/detail/borrowed.h"
#include "float_journal.h"
#include "numpy_api.h"

namespace fastnp::python {

namespace {

struct Counted {
    Py_ssize_t references = 0;
    bool is_shown = false;  // there may be views of it by others, which hold no reference to it
};

// By the array; guarded by the GIL.
std::unordered_map<PyObject*, Counted>& counted() {
    static auto* const counts = new std::unordered_map<PyObject*, Counted>;  // arrays may outlive every static
    return *counts;
}

Counted counted_of(PyObject* owner) {
    const auto found = counted().find(owner);
    return found == counted().end() ? Counted{} : found->second;
}

void uncount(PyObject* owner) {
    const auto found = counted().find(owner);
    if (found != counted().end() && --found->second.references == 0) counted().erase(found);
}

}  // namespace

Lent lent_by(PyObject* owner) {
    const bool counts = may_journal();
    if (counts) ++counted()[owner].references;
    return {Py_NewRef(owner), counts};
}

void Lent::operator()() const {
    if (Py_IsInitialized() == 0) return;
    const PyGILState_STATE state = PyGILState_Ensure();
    if (counts) uncount(owner);
    Py_DECREF(owner);
    PyGILState_Release(state);
}

bool count_reference(PyObject* object) {
    if (object == nullptr || !may_journal() || !PyArray_Check(object)) return false;
    ++counted()[object].references;
    return true;
}

void uncount_reference(PyObject* object) { uncount(object); }

void note_shown(const array& value) {
    if (!may_journal()) return;
    const std::function<void()>* const release = detail::release_of(value);
    const Lent* const held = release == nullptr ? nullptr : release->target<Lent>();
    if (held != nullptr && held->counts) counted()[held->owner].is_shown = true;
}

// Through views, whose memory is another array's, to which they have a reference each.
bool is_seen_by_others(const std::function<void()>& release) {
    const Lent* const held = release.target<Lent>();
    if (held == nullptr) return true;
    PyObject* at = held->owner;
    for (Py_ssize_t of_view = 0; at != nullptr && PyArray_Check(at); at = PyArray_BASE(as_numpy(at)), of_view = 1) {
        const Counted known = counted_of(at);
        if (known.is_shown || Py_REFCNT(at) > known.references + of_view) return true;
    }
    return at != nullptr && (PyCapsule_CheckExact(at) == 0 || Py_REFCNT(at) > 1);
}

}  // namespace fastnp::python
