// The recording of a Python function: its twin is called on recorded arrays, and what it gives and does is taken apart.
#include <algorithm>
#include <chrono>

#include "compiled_state.h"
#include "fastnp/detail/lies_in.h"
#include "float_errors.h"
#include "foreign.h"
#include "lines.h"
#include "noted_errors.h"
#include "sizes_read.h"
#include "stored.h"

namespace fastnp::python {

namespace {

struct GilState {
    PyGILState_STATE state = PyGILState_Ensure();
    GilState() = default;
    GilState(const GilState&) = delete;
    ~GilState() { PyGILState_Release(state); }
};

struct RecordingScope {
    Recording now;
    ErrorsNoted errors{now};
    RecordedLines lines;
    RecordingScope() {
        now.outer = recording;
        now.caller = Ref(reinterpret_cast<PyObject*>(PyThreadState_GetFrame(PyThreadState_Get())));
        recording = &now;
    }
    RecordingScope(const RecordingScope&) = delete;
    ~RecordingScope() { recording = now.outer; }
};

// The error in flight as "ValueError: text", cleared.
std::string take_error(Ref* traceback = nullptr) {
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    const Ref held_type(type), held_value(value);
    Ref held_trace(trace);
    std::string text = type != nullptr ? reinterpret_cast<PyTypeObject*>(type)->tp_name : "an error";
    const Ref message(value != nullptr ? PyObject_Str(value) : nullptr);
    const char* words = message ? PyUnicode_AsUTF8(message.get()) : nullptr;
    if (words != nullptr && words[0] != 0) text += std::string(": ") + words;
    PyErr_Clear();
    if (traceback != nullptr) *traceback = std::move(held_trace);
    return text;
}

// The twin of the function, ready to be called, and what it holds until then.
class Twin {
public:
    Twin(PyObject* capture, const Flat& flat, const Rebuild& rebuild) : capture_(capture) {
        const Ref inputs = own(PyList_New(0));
        for (std::size_t i = flat.given; i < flat.objects.size(); ++i) {
            check(PyList_Append(inputs.get(), own(PyTuple_Pack(2, flat.objects[i], rebuild.made(i))).get()));
        }
        begun_ = Ref(PyObject_CallMethod(capture, "begin", "O", inputs.get()));
        if (begun_) return;
        end();
        if (PyErr_ExceptionMatches(PyExc_Exception) == 0) throw PythonError{};  // KeyboardInterrupt and the like go on
        throw RecordError("reads something that can't be followed: " + take_error());
    }
    ~Twin() { end(); }
    Twin(const Twin&) = delete;
    Twin& operator=(const Twin&) = delete;

    PyObject* function() const { return PyTuple_GET_ITEM(begun_.get(), 0); }
    /// What takes the place of objects among the arguments, by their ids; what these stand for, by theirs.
    PyObject* swaps() const { return PyTuple_GET_ITEM(begun_.get(), 1); }
    PyObject* originals() const { return PyTuple_GET_ITEM(begun_.get(), 2); }

private:
    void end() const {
        PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
        PyErr_Fetch(&type, &value, &trace);  // what was raised may be on its way
        const Ref done(PyObject_CallMethod(capture_, "end", nullptr));
        PyErr_Restore(type, value, trace);
    }

    PyObject* capture_;
    Ref begun_;
};

// What an entry gives goes with the entry, on whichever thread that is.
void let_go(const void* made) {
    if (Py_IsInitialized() == 0) return;
    const GilState gil;
    delete static_cast<const Return*>(made);
}

// RecordError with all that the function does that can't be recorded, if there is any.
void check_breaks(const Recording& now) {
    if (now.breaks.empty()) return;
    std::string text;
    for (const std::string& each : now.breaks) text += (text.empty() ? "" : "; ") + each;
    throw RecordError(text);
}

// Ends a recording where a function is called whose loops may become native code.
class LoopWatch {
public:
    /// `split`: what says whether a function is one; null if nothing is watched.
    explicit LoopWatch(PyObject* split) {
        is_on_ = split != nullptr && PyThreadState_Get()->c_profilefunc == nullptr;  // else somebody else watches
        if (is_on_) PyEval_SetProfile(&look, split);
    }
    ~LoopWatch() {
        if (is_on_) PyEval_SetProfile(nullptr, nullptr);
    }
    LoopWatch(const LoopWatch&) = delete;
    LoopWatch& operator=(const LoopWatch&) = delete;

private:
    static int look(PyObject* split, PyFrameObject* frame, int what, PyObject*) {
        if (what != PyTrace_CALL || recording == nullptr) return 0;
        const Ref code(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
        const Ref space(PyFrame_GetGlobals(frame));
        const Ref found(PyObject_CallMethod(split, "note_called", "OO", code.get(), space.get()));
        if (!found) return -1;
        if (found.get() != Py_True) return 0;
        recording->is_for_native_loops = true;
        const Ref none(guarded([]() -> PyObject* { refuse("calls a function with a loop, and reads numbers that differ from call to call"); }));
        return -1;
    }

    bool is_on_ = false;
};

// What an effect calls: not the twin of a function, nor one that was made in the recording.
Ref callable(PyObject* function, PyObject* originals) {
    PyObject* original = PyDict_GetItemWithError(originals, own(PyLong_FromVoidPtr(function)).get());
    if (original == nullptr && (PyFunction_Check(function) || PyMethod_Check(function))) {
        throw RecordError("the function of an effect is made inside of the compiled function");
    }
    return Ref::borrow(original != nullptr ? original : function);
}

}  // namespace

int Recording::note_break(const std::string& what) {
    constexpr int most = 1000;  // a loop over what is unknown may never end
    if (!collects) return 0;
    const int count = ++met[what];
    if (count == 1) breaks.push_back(what);
    return count <= most ? count : 0;
}

void Recording::end_at(const std::string& what) {
    const bool is_known = std::any_of(breaks.begin(), breaks.end(), [&](const std::string& each) { return each.starts_with(what); });
    if (!is_known) breaks.push_back(what);
}

// Once a recording ended by itself or by an error: whether what the function reads has to be looked for anew.
void Recorded::look_again() const {
    if (looks_again()) throw LookAgain{};
}

bool Recorded::looks_again() const {
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);  // what was raised may be on its way
    const bool looks = is_true(own(PyObject_GetAttrString(guards_.capture(), "again")).get());
    PyErr_Restore(type, value, trace);
    return looks;
}

void CompiledState::refuse_lists(std::span<const std::uint64_t> places) {
    const std::optional<std::uint64_t> blamed = take_blamed_list();
    if (blamed && std::ranges::find(places, *blamed) != places.end()) places = {&*blamed, 1};
    numbers_.lists.refuse(places);
}

std::vector<array> Recorded::record(std::span<const array> parameters) {
    const GilState gil;
    if ((flat_.varies() || state_.reads_sizes()) && state_.goes_native(arguments_)) throw GoesNative{};
    if (flat_.number_lists().empty()) return record_once(parameters);
    // What may be due to how lists look ends the recording, and begins one without them.
    (void)take_blamed_list();
    try {
        return record_once(parameters);
    } catch (const RecordError&) {
    } catch (const RaisedWhileRecording&) {
    } catch (const SplitFirst&) {
    }
    end_.reset();
    state_.refuse_lists(flat_.number_lists());
    throw ListsRefused{};
}

std::vector<array> Recorded::record_once(std::span<const array> parameters) {
    is_new_ = true;
    (void)take_size_read();
    Ref described = state_.described(bound_);
    Rebuild rebuild(parameters, flat_);
    const Twin twin(guards_.capture(), flat_, rebuild);
    RecordingScope scope;
    scope.now.collects = state_.options().fullgraph;
    scope.now.call = this;
    rebuild_ = &rebuild;
    originals_ = twin.originals();
    calls_.clear();
    end_.reset();
    const auto start = std::chrono::steady_clock::now();
    try {
        const LoopWatch watch(state_.watches_loops() ? state_.split() : nullptr);
        const Ref result = state_.parameters().call(twin.function(), bound_, rebuild, twin.swaps());
        look_again();
        check_breaks(scope.now);
        if (!scope.now.poison.empty()) throw RecordError(scope.now.poison);
        std::vector<array> arrays = take(result.get(), scope.now, rebuild, twin.originals());
        check_foreign(scope.now);
        const bool reads_size = take_size_read();
        if (reads_size) state_.note_size_read();
        state_.note_recorded(flat_.varies() || reads_size);
        state_.note_described(std::move(described));
        return arrays;
    } catch (const PythonError&) {
        if (PyErr_ExceptionMatches(PyExc_Exception) == 0) throw;  // KeyboardInterrupt and the like go on
        const bool refused = PyErr_ExceptionMatches(record_error) != 0;
        const bool is_ahead = detail::Ahead::current() != nullptr;
        if (is_ahead && !refused && scope.now.poison.empty() && !looks_again()) throw;  // as a call would
        Ref traceback;
        const std::string text = take_error(&traceback);
        look_again();
        if (refused) scope.now.end_at(scope.now.poison.empty() ? text : scope.now.poison);
        if (scope.now.collects) check_breaks(scope.now);
        const bool raised = !refused && scope.now.poison.empty();
        if (raised && !state_.note_raised()) throw RaisedWhileRecording{};
        const std::string reason = raised ? "raises while it is recorded: " + text : scope.now.poison.empty() ? text : scope.now.poison;
        const double spent = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        if (is_ahead) throw RecordError(reason);
        end_ = RecordingEnd{reason, std::move(traceback), scope.now.is_long, spent};
        if ((end_->is_long && !state_.unrolls()) || scope.now.is_for_native_loops) throw SplitFirst{};
        throw RecordError(reason);
    }
}

// What the function gives and does, taken apart; the arrays in it.
std::vector<array> Recorded::take(PyObject* result, const Recording& now, const Rebuild& rebuild, PyObject* originals) {
    made_ = std::make_unique<Return>();
    made_->calls = std::move(calls_);
    made_->float_errors = now.float_errors;
    state_.float_verdicts().note(now.float_errors);
    HandedOut out;
    made_->result = take_apart(result, rebuild, originals, out);
    for (const Ref& effect : effects_of(now, rebuild)) {
        made_->actions.push_back({callable(PyTuple_GET_ITEM(effect.get(), 0), originals),
                                  take_apart(PyTuple_GET_ITEM(effect.get(), 1), rebuild, originals, out),
                                  take_apart(PyTuple_GET_ITEM(effect.get(), 2), rebuild, originals, out)});
    }
    check_handed_out(out.arrays, flat_.arguments.size());
    std::vector<array> arrays;
    for (PyObject* object : out.arrays) arrays.push_back(value_of(object));
    return arrays;
}

void Recorded::note_left_out() {
    const GilState gil;  // under which calls ask for it
    made_->float_errors.leaves_out = true;
    state_.float_verdicts().note(made_->float_errors);
}

std::shared_ptr<const void> Recorded::keep() { return {made_.release(), &let_go}; }

std::string Recorded::identity() {
    const GilState gil;
    const std::string found = identity_of(guards_.capture());
    return found.empty() ? found : found + '\n' + std::string(flat_.key_view().substr(Flat::generation_bytes));
}

std::optional<std::string> Recorded::pack(const void* kept) {
    const GilState gil;
    return python::pack(*static_cast<const Return*>(kept), guards_.capture());
}

std::shared_ptr<const void> Recorded::restore(std::string_view packed) {
    const GilState gil;
    std::unique_ptr<Return> made = unpack(packed, guards_.capture());
    if (made == nullptr) return nullptr;
    state_.float_verdicts().note(made->float_errors);
    return {made.release(), &let_go};
}

Ref Recorded::call_outside(PyObject* function, PyObject* args, PyObject* kwargs) {
    HandedOut out;
    out.by_value = true;
    OutsideCall call{{Ref::borrow(function), take_apart(args, *rebuild_, originals_, out), take_apart(kwargs, *rebuild_, originals_, out)}};
    std::vector<array> operands;
    for (PyObject* object : out.arrays) {
        operands.push_back(value_of(object));
        const auto [shape, strides] = detail::layout_now(operands.back());
        call.lying.push_back(lying_of(shape, strides, itemsize_of(operands.back().dtype())));
    }
    const std::size_t number = calls_.size();
    const Ref name = own(PyObject_GetAttrString(function, "__name__"));
    const std::vector<array> given = detail::call_outside(PyUnicode_AsUTF8(name.get()), operands, [&](std::span<const array> values) {
        if (number >= performed_.size()) performed_.push_back(performed(call, values, true));
        return performed_[number].given;
    });
    call.is_steady = operands.empty() && is_steady_draw(performed_.at(number));
    calls_.push_back(std::move(call));
    return recorded_result(performed_.at(number).result.get(), given);
}

// What it raises is for the function as written to raise.
std::optional<detail::Given> Recorded::make_call(const void* kept, int number, std::span<const array> operands, bool is_last) {
    const GilState gil;
    const auto place = static_cast<std::size_t>(number);
    try {
        const OutsideCall& call = static_cast<const Return*>(kept)->calls[place];
        const bool saves = !is_last || !call.is_steady || state_.float_verdicts().keeps_large();
        if (place >= performed_.size()) performed_.push_back(performed(call, operands, saves));
        return performed_[place].given;
    } catch (const RecordError&) {
        return std::nullopt;
    } catch (const PythonError&) {
        if (PyErr_ExceptionMatches(PyExc_Exception) == 0) throw;  // KeyboardInterrupt and the like go on
        PyErr_Clear();
        return std::nullopt;
    }
}

// The thread that is waited for may need the GIL.
void Recorded::wait(const std::function<void()>& body) {
    if (PyGILState_Check() == 0) return body();
    const Released released;
    body();
}

void Recorded::will_write(std::span<const std::span<std::byte>> memory, bool is_all) {
    bool is_kept = is_all && (is_new_ || Overwritten::bytes(memory) <= FloatVerdicts::small);
    if (is_all && !is_kept) {
        const GilState gil;
        is_kept = state_.float_verdicts().keeps_large();
    }
    written_.keep(memory, is_kept);
}

void Recorded::take_back() {
    written_.restore();
    for (auto call = performed_.rbegin(); call != performed_.rend(); ++call) fastnp::python::take_back(*call);
    performed_.clear();
    made_objects_ = {};
}

namespace {

thread_local Recorded* performing = nullptr;

}  // namespace

Performed Recorded::performed(const OutsideCall& call, std::span<const array> operands, bool saves) {
    struct Within {
        Recorded* before;
        explicit Within(Recorded* now) : before(std::exchange(performing, now)) {}
        ~Within() { performing = before; }
        Within(const Within&) = delete;
    } const within(this);
    const ErrorsTold told;
    return perform(call, flat_, operands, saves);
}

PyObject* Recorded::made_objects() {
    if (!made_objects_) made_objects_ = own(PyDict_New());
    return made_objects_.get();
}

Recorded* Recorded::under_way() { return recording != nullptr ? recording->call : performing; }

// (function, args, kwargs) of all that the recorded function does outside of itself: what it noted on its way, then what it changed.
std::vector<Ref> Recorded::effects_of(const Recording& now, const Rebuild& rebuild) {
    std::vector<Ref> effects = now.effects;
    for (const Ref& stores : {own(PyObject_CallMethod(guards_.capture(), "stores", nullptr)), rebuild.stores()}) {
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(stores.get()); ++i) {
            PyObject* store = PyList_GET_ITEM(stores.get(), i);
            effects.push_back(own(PyTuple_Pack(3, PyTuple_GET_ITEM(store, 0), PyTuple_GET_ITEM(store, 1), own(PyDict_New()).get())));
        }
    }
    const bool known_twice = std::any_of(flat_.containers.begin(), flat_.containers.end(), [&](PyObject* container) { return guards_.guards(container); });
    if (!effects.empty() && known_twice) throw RecordError("changes a list or a dict that is both an argument and known by name");
    const Ref reason = own(PyObject_GetAttrString(guards_.capture(), "volatile"));
    state_.note_volatile(reason.get() == Py_None ? nullptr : PyUnicode_AsUTF8(reason.get()));
    return effects;
}

}  // namespace fastnp::python
