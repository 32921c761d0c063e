#include "tape.h"

#include <atomic>

#include "convert.h"
#include "fastnp/detail/transform.h"
#include "float_journal.h"

namespace py = pybind11;

namespace fastnp::python {

constinit thread_local TapeCall* TapeCall::now = nullptr;

namespace {

thread_local bool records_gradients = true;
std::atomic<long> leaf_count = 0;

std::shared_ptr<detail::Leaf> new_leaf() {
    ++leaf_count;
    ++journal_keepers;
    return {new detail::Leaf, [](const detail::Leaf* leaf) {
                --leaf_count;
                --journal_keepers;
                delete leaf;
            }};
}

constexpr const char* in_transform =
    "an array of a tape was used in a transform or a compiled function that did not find it; hand it over, or detach() it";

NdArray* object_of(PyObject* self) { return reinterpret_cast<NdArray*>(self); }

Taped& taped_of(NdArray* object) {
    if (object->taped == nullptr) object->taped = new Taped;  // NOLINT: Python owns the memory around it; ndarray's deallocation deletes it
    return *object->taped;
}

bool is_leaf(const NdArray* object) { return object->taped != nullptr && object->taped->leaf != nullptr; }

std::string text_of(const Shape& shape) {
    std::string text = "(";
    for (const std::int64_t size : shape) text += (text.size() == 1 ? "" : ", ") + std::to_string(size);
    return text + (shape.size() == 1 ? ",)" : ")");
}

// Of a recorded array: its elements.
const array& value_at_hand(NdArray* object) {
    Taped& taped = taped_of(object);
    if (!taped.now) taped.now = detail::tape_value(object->value);
    return *taped.now;
}

// Has the call that Python makes leave the tape again, if it is what enters it.
template <class F>
bool enters(F&& enter) {
    const bool was_recording = detail::is_recording();
    if (!enter()) return false;
    if (!was_recording) TapeCall::note_entered();
    return true;
}

}  // namespace

void TapeCall::leave() { detail::leave_tape(); }

const array& taped_value(NdArray* object) {
    // For what is known of it without its elements; a recording of a transform within no_grad() takes these.
    if (!TapeCall::is_in_call()) return is_leaf(object) || records_gradients || !detail::is_recording() ? object->value : value_at_hand(object);
    if (is_leaf(object)) {
        if (!records_gradients || recording != nullptr) return object->value;
        if (!enters([] { return detail::enter_tape(); })) raise(PyExc_RuntimeError, in_transform);
        return detail::on_tape(object->taped->leaf, object->value);
    }
    if (!records_gradients || !detail::is_on_open_tape(object->value)) return value_at_hand(object);
    if (!enters([&] { return detail::enter_tape_of(object->value); })) {
        raise(PyExc_RuntimeError, in_transform);
    }
    return object->value;
}

void note_taped(NdArray* object) {
    if (recording == nullptr && detail::is_on_tape(object->value)) taped_of(object);
}

void prepare_write(PyObject* self) {
    NdArray* object = object_of(self);
    if (is_leaf(object)) {
        if (records_gradients) {
            raise(PyExc_RuntimeError, "an array that requires a gradient is written to; within no_grad() it can be, or a copy of it anywhere");
        }
        object->taped->leaf->marked.reset();
        return;
    }
    if (object->taped != nullptr) {
        object->taped->now.reset();
        return;
    }
    if (recording == nullptr && detail::records_on_tape() && !object->value.is_recorded()) {
        if (!object->value.writable()) return;
        object->value = detail::taken_to_tape(object->value);
        taped_of(object);
    }
}

PyObject* get_requires_grad(PyObject* self, void*) {
    NdArray* object = object_of(self);
    const bool is_recorded = object->taped != nullptr && !is_leaf(object) && detail::is_on_open_tape(object->value);
    return PyBool_FromLong(static_cast<long>(is_leaf(object) || is_recorded));
}

int set_requires_grad(PyObject* self, PyObject* value, void*) {
    return guarded_int([&] {
        if (value == nullptr) raise(PyExc_AttributeError, "requires_grad can't be deleted");
        NdArray* object = object_of(self);
        const bool wanted = is_true(value);
        if (object->value.is_recorded()) {
            if (wanted && object->taped != nullptr) return 0;
            raise(PyExc_RuntimeError,
                  "requires_grad is set on arrays that hold memory, not on results of recorded computations; detach() gives such an array");
        }
        if (wanted && !is_inexact(object->value.dtype())) {
            raise(PyExc_RuntimeError,
                  "only arrays of floating and complex dtype can require gradients, not of " + std::string(name_of(object->value.dtype())));
        }
        if (wanted == is_leaf(object)) return 0;
        if (wanted) taped_of(object).leaf = new_leaf();
        else delete std::exchange(object->taped, nullptr);
        return 0;
    });
}

PyObject* get_grad(PyObject* self, void*) {
    return guarded([&]() -> PyObject* {
        const NdArray* object = object_of(self);
        if (!is_leaf(object) || !object->taped->leaf->gradient) return Py_NewRef(Py_None);
        return wrap(*object->taped->leaf->gradient);
    });
}

int set_grad(PyObject* self, PyObject* value, void*) {
    return guarded_int([&] {
        const NdArray* object = object_of(self);
        if (!is_leaf(object)) raise(PyExc_RuntimeError, "grad is that of arrays that require a gradient");
        if (value == nullptr || value == Py_None) object->taped->leaf->gradient.reset();
        else object->taped->leaf->gradient = to_array(value).astype(object->value.dtype());
        return 0;
    });
}

PyObject* get_is_leaf(PyObject* self, void*) {
    const NdArray* object = object_of(self);
    return PyBool_FromLong(static_cast<long>(object->taped == nullptr || is_leaf(object)));
}

PyObject* backward(PyObject* self, PyObject* args, PyObject* keywords) {
    return guarded([&]() -> PyObject* {
        static const char* names[] = {"gradient", "retain_graph", "create_graph", nullptr};
        PyObject* gradient = Py_None;
        int retain = -1, create = 0;
        if (PyArg_ParseTupleAndKeywords(args, keywords, "|Opp", const_cast<char**>(names), &gradient, &retain, &create) == 0) throw PythonError{};
        const NdArray* object = object_of(self);
        const bool is_taken = object->value.is_recorded() && !detail::is_on_open_tape(object->value);
        if (is_taken || object->taped == nullptr) detail::backward(object->value, object->value, false, false);  // raises
        if (!is_leaf(object) && !enters([&] { return detail::enter_tape_of(object->value); })) {
            raise(PyExc_RuntimeError, "backward: within a transform or a compiled function; grad() is for those");
        }
        const array x = is_leaf(object) ? value_of(self) : object->value;
        if (gradient == Py_None && x.ndim() != 0) {
            raise(PyExc_ValueError, "backward: only of a single number without a gradient argument, not of an array of shape " + text_of(x.shape()));
        }
        if (!is_inexact(x.dtype())) raise(PyExc_TypeError, "backward: an array of dtype " + std::string(name_of(x.dtype())) + " has no derivative");
        const array weight = gradient == Py_None ? array(Scalar(1.0), x.dtype()) : to_array(gradient).astype(x.dtype());
        if (weight.shape() != x.shape()) {
            raise(PyExc_ValueError, "backward: a gradient of shape " + text_of(weight.shape()) + " for an array of shape " + text_of(x.shape()));
        }
        const WithoutJournal derivative;
        detail::backward(x, weight, retain > 0 || create != 0, create != 0);
        return Py_NewRef(Py_None);
    });
}

PyObject* detach(PyObject* self, PyObject*) {
    return guarded([&] {
        NdArray* object = object_of(self);
        if (object->taped == nullptr) return wrap(object->value, self);
        return is_leaf(object) ? wrap(object->value, self) : wrap(value_at_hand(object).copy());
    });
}

namespace {

// Whatever `body` does is recorded on the tape of arrays that are on one.
py::object run_on_tape(const py::list& arrays, const py::object& body) {
    const TapeCall call;
    NdArray* chosen = nullptr;  // one that is recorded knows its tape
    for (const py::handle each : arrays) {
        if (chosen == nullptr || is_leaf(chosen)) chosen = object_of(each.ptr());
    }
    const bool is_on = chosen != nullptr && enters([&] { return is_leaf(chosen) ? detail::enter_tape() : detail::enter_tape_of(chosen->value); });
    if (!is_on) raise(PyExc_RuntimeError, "an array of a tape that is gone, or of another one, was used in a transform; detach() it");
    return body();
}

}  // namespace

void add_tape(py::module_& module) {
    module.def("_tapes", [] { return records_gradients && leaf_count.load() > 0; }, "Whether any array is on a tape that ops are recorded on.");
    module.def("_on_tape", &run_on_tape, "Runs body() on the tape that arrays are on.");
    module.def(
        "_set_records_gradients", [](bool now) { return std::exchange(records_gradients, now); },
        "Whether ops on arrays that require gradients are recorded in this thread; gives what was set before.");
}

}  // namespace fastnp::python
