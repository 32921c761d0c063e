#include "float_journal.h"

#include <pybind11/pybind11.h>

#include <functional>
#include <string_view>
#include <unordered_map>

#include "casters.h"
#include "convert.h"
#include "fastnp/detail/float_flags.h"
#include "fastnp/detail/memory.h"
#include "fastnp/detail/tape.h"
#include "float_errors.h"
#include "number.h"

namespace py = pybind11;

namespace fastnp::python {

std::atomic<int> journal_keepers = 0;

namespace {

thread_local int without = 0;
thread_local PyObject* mapped = nullptr;  // the vmaps that this thread is in, a tuple, if any; owned

constexpr std::int64_t most_copied = 4096;
constexpr const char* value_name = "fastnp noted value";
constexpr const char* scalar_name = "fastnp noted scalar";  // of an array that stands for a NumPy scalar

// Functions that only move elements.
bool only_moves(std::string_view name) {
    constexpr std::string_view names[] = {"reshape",     "transpose", "ravel", "squeeze", "expand_dims", "broadcast_to", "moveaxis",   "swapaxes", "flip",
                                          "concatenate", "stack",     "zeros", "ones",    "zeros_like",  "ones_like",    "empty_like", "copy"};
    for (const std::string_view each : names) {
        if (each == name) return true;
    }
    return false;
}

bool can_be_asked_of(const array& x) { return x.dtype() != Dtype::bfloat16 && !detail::is_at_device(x); }

Ref object_of_argument(const NotedArgument& argument) {
    if (argument.value == nullptr) return argument.object.get();
    return own(PyCapsule_New(const_cast<void*>(argument.value), argument.is_scalar ? scalar_name : value_name, nullptr));
}

// Nothing where it has no value that NumPy knows.
std::optional<NotedArgument> noted_argument(PyObject* object, int depth = 0) {
    if (is_ndarray(object)) {
        const array& x = value_of(object);
        if (!can_be_asked_of(x)) return std::nullopt;
        // A tape would copy it once more: what is large is looked at when the tape is gone back on.
        if (!x.is_recorded() && x.size() > most_copied && detail::records_on_tape()) return NotedArgument{nullptr, false, own(numpy_view(x, object))};
        return NotedArgument{detail::note_value(x), reinterpret_cast<NdArray*>(object)->scalar, {}};
    }
    if (is_recorded_number(object)) return std::nullopt;
    if ((!PyList_CheckExact(object) && !PyTuple_CheckExact(object)) || depth > 8) return NotedArgument{nullptr, false, Ref::borrow(object)};
    const Ref items = own(PyList_New(0));
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
        const std::optional<NotedArgument> item = noted_argument(PySequence_Fast_GET_ITEM(object, i), depth + 1);
        if (!item) return std::nullopt;
        check(PyList_Append(items.get(), object_of_argument(*item).get()));
    }
    return NotedArgument{nullptr, false, PyList_CheckExact(object) ? items : own(PyList_AsTuple(items.get()))};
}

// The innermost frame that is not this package's own, or null.
Ref frame_at_hand(Ref& module) {
    Ref frame(reinterpret_cast<PyObject*>(PyThreadState_GetFrame(PyThreadState_Get())));
    static PyObject* const name_key = PyUnicode_InternFromString("__name__");
    while (frame) {
        auto* const at = reinterpret_cast<PyFrameObject*>(frame.get());
        const Ref globals = own(PyFrame_GetGlobals(at));
        PyObject* name = PyDict_GetItemWithError(globals.get(), name_key);
        const char* text = name != nullptr && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : "";
        const std::string_view words(text == nullptr ? "" : text);
        if (words != "fastnp" && !words.starts_with("fastnp.")) {
            module = Ref::borrow(name);
            return frame;
        }
        frame = Ref(reinterpret_cast<PyObject*>(PyFrame_GetBack(at)));
    }
    return {};
}

// Which arguments are written to, as bits, the object of a method the first.
long outputs_of(const JournalCall& call) {
    const Py_ssize_t named = call.kwnames == nullptr ? 0 : PyTuple_GET_SIZE(call.kwnames);
    const Py_ssize_t ahead = call.first != nullptr ? 1 : 0;
    long found = 0;
    for (Py_ssize_t i = 0; i < call.nargs + named && i + ahead < 63; ++i) {
        const bool is_output = i < call.nargs ? i >= call.first_output && i < call.first_output + call.output_count
                                              : PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(call.kwnames, i - call.nargs), "out") == 0;
        if (is_output) found |= 1L << (i + ahead);
    }
    return found;
}

// Verdicts of recordings that look alike, which come again and again in a loop that trains.
FloatVerdicts& verdicts_of(std::size_t key) {
    static auto& known = *new std::unordered_map<std::size_t, FloatVerdicts>;  // NOLINT: it holds objects of Python's, which ends before statics do
    constexpr std::size_t most = 512;
    if (known.size() >= most) known.clear();
    return known[key];
}

// fastnp._float_errors' function of that name.
void ask_numpy(const char* name, PyObject* calls, PyObject* before = nullptr) {
    const WithoutJournal judging;
    const Ref function = import_attribute("fastnp._float_errors", name);
    (void)own(PyObject_CallFunctionObjArgs(function.get(), calls, before, nullptr));
    detail::clear_float_flags();
}

}  // namespace

FloatJournal::FloatJournal() : calls_(own(PyList_New(0))) {}

// A tape may end on any thread.
FloatJournal::~FloatJournal() {
    const bool is_over = Py_IsInitialized() == 0;
    if (is_over) {
        (void)calls_.release();
        new (&new_calls_) std::vector<Call>;  // lost, as all that Python had is
        return;
    }
    const PyGILState_STATE gil = PyGILState_Ensure();
    calls_ = Ref();
    new_calls_.clear();
    PyGILState_Release(gil);
}

FloatJournal* FloatJournal::current() {
    if (recording != nullptr || without != 0) return nullptr;
    std::shared_ptr<detail::OnceNotes>* const notes = detail::once_notes();
    if (notes == nullptr) return nullptr;
    if (!*notes) *notes = std::make_shared<FloatJournal>();
    return static_cast<FloatJournal*>(notes->get());
}

NotedArguments FloatJournal::noted(const JournalCall& call) {
    const Py_ssize_t named = call.kwnames == nullptr ? 0 : PyTuple_GET_SIZE(call.kwnames);
    const Py_ssize_t ahead = call.first != nullptr ? 1 : 0;
    NotedArguments all;
    all.reserve(static_cast<std::size_t>(ahead + call.nargs + named));
    for (Py_ssize_t i = -ahead; i < call.nargs + named; ++i) {
        std::optional<NotedArgument> argument = noted_argument(i < 0 ? call.first : call.args[i]);
        if (!argument) return {};
        all.push_back(std::move(*argument));
    }
    return all;
}

Ref FloatJournal::object_of(const Call& call) {
    const Ref arguments = own(PyTuple_New(static_cast<Py_ssize_t>(call.arguments.size())));
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
        PyTuple_SET_ITEM(arguments.get(), static_cast<Py_ssize_t>(i), object_of_argument(call.arguments[i]).release());
    }
    const auto or_none = [](const Ref& object) { return object ? object.get() : Py_None; };
    const Ref place = call.code ? own(Py_BuildValue("OiO", call.code.get(), call.at, or_none(call.module))) : Ref::borrow(Py_None);
    const Ref levels = call.levels ? call.levels : own(PyTuple_New(0));
    std::string name = call.name;
    if (call.method != nullptr) name += std::string(".") + call.method;
    const bool is_of_array = call.has_first && PyObject_HasAttrString(reinterpret_cast<PyObject*>(&PyArray_Type), call.name.c_str()) != 0;
    if (is_of_array) name = "ndarray." + name;
    return own(Py_BuildValue("sOOlOOOOO", name.c_str(), call.is_operator ? Py_True : Py_False, call.is_strict ? Py_True : Py_False, call.outputs,
                             arguments.get(), or_none(call.kwnames), place.get(), or_none(call.state), levels.get()));
}

PyObject* FloatJournal::calls() {
    for (const Call& call : new_calls_) check(PyList_Append(calls_.get(), object_of(call).get()));
    new_calls_.clear();
    return calls_.get();
}

void FloatJournal::note(const JournalCall& call, NotedArguments arguments, bool certainly) {
    if (arguments.empty() || only_moves(call.name)) return;
    const FloatState state = float_state();
    Call noted{.name = call.name,
               .method = call.method,
               .is_operator = call.is_operator,
               .is_strict = state.strict != 0,
               .has_first = call.first != nullptr,
               .outputs = outputs_of(call),
               .arguments = std::move(arguments),
               .kwnames = Ref::borrow(call.kwnames),
               .state = Ref::borrow(state_object()),
               .levels = Ref::borrow(mapped)};
    if (const Ref frame = frame_at_hand(noted.module)) {
        auto* const at = reinterpret_cast<PyFrameObject*>(frame.get());
        noted.code = Ref(reinterpret_cast<PyObject*>(PyFrame_GetCode(at)));
        noted.at = PyFrame_GetLasti(at);
    }
    if (noted.is_strict && mapped == nullptr) return ask_numpy("tell_now", object_of(noted).get(), calls());
    last_ = std::hash<void*>()(noted.code.get()) + static_cast<std::size_t>(noted.at);
    if (count_++ == 0) first_ = last_;
    new_calls_.push_back(std::move(noted));
    errors_.told |= state.told;
    errors_.strict |= state.strict;
    is_asked_ = is_asked_ || certainly;
}

std::size_t FloatJournal::key() const { return (first_ * 31 + last_) * 31 + count_; }

void FloatJournal::computed() {
    unsigned met = detail::float_flags() | detail::take_looked_flags();
    detail::clear_float_flags();
    if (is_asked_) met |= lost_imaginary;
    const bool has_calls = !new_calls_.empty() || PyList_GET_SIZE(calls_.get()) != 0;
    if (met != 0 && has_calls && verdicts_of(key()).is_worth(met, errors_)) {
        const Ref calls = take_calls();
        ask_numpy("tell", calls.get());
    }
    new_calls_.clear();
    calls_ = own(PyList_New(0));
    count_ = 0;
    is_asked_ = false;
}

Ref FloatJournal::take_calls() {
    (void)calls();
    return std::exchange(calls_, own(PyList_New(0)));
}

void FloatJournal::tell_before_error() {
    const Ref calls = take_calls();
    if (PyList_GET_SIZE(calls.get()) != 0) ask_numpy("tell", calls.get());
}

WithoutJournal::WithoutJournal() { ++without; }
WithoutJournal::~WithoutJournal() { --without; }

void add_float_journal(py::module_& module) {
    module.def(
        "_noted",
        [](const py::object& capsule) {
            const char* name = PyCapsule_GetName(capsule.ptr());
            const void* value = PyCapsule_GetPointer(capsule.ptr(), name);
            if (value == nullptr) throw py::error_already_set();
            return py::make_tuple(detail::noted_array(value), name == scalar_name);
        },
        "A value of a call that a journal noted, as (recorded array, whether it stands for a NumPy scalar).");
    module.def(
        "_note", [](const array& x, bool is_scalar) { return py::capsule(detail::note_value(x), is_scalar ? scalar_name : value_name); },
        "The value of a recorded array, as journals note it.");
    module.def(
        "_before_run",
        [](const array& x) {
            const array value = detail::value_before_run(x);
            return py::reinterpret_steal<py::object>(numpy_view(value, own(wrap(value)).get()));
        },
        "The elements of a recorded array, as a NumPy array, whatever the recording's run has overwritten.");
    module.def(
        "_set_mapped",
        [](const py::object& levels) {
            PyObject* const before = std::exchange(mapped, levels.is_none() ? nullptr : Py_NewRef(levels.ptr()));
            return before == nullptr ? py::object(py::none()) : py::reinterpret_steal<py::object>(before);
        },
        "Sets the vmaps that this thread is in, a tuple or None; gives those before.");
    module.def(
        "_journal",
        []() -> py::object {
            FloatJournal* const journal = may_journal() ? FloatJournal::current() : nullptr;
            const bool is_needed = journal != nullptr && (journal->is_strict() || detail::records_on_tape());
            return is_needed ? py::reinterpret_borrow<py::object>(journal->calls()) : py::none();
        },
        "The calls that were noted of the recording that this thread is in, if they are to be looked at before it has run; else None.");
    module.def("_records_on_tape", &detail::records_on_tape, "Whether this thread records on a tape.");
}

}  // namespace fastnp::python
