// A call of a compiled function: bind, flatten, check guards, run the engine, put the result together.
#include <algorithm>

#include "compiled_state.h"
#include "fastnp/backends.h"
#include "fastnp/detail/compiling_time.h"
#include "fastnp/detail/float_flags.h"
#include "fastnp/detail/log.h"
#include "fastnp/detail/timeline.h"
#include "straight.h"

namespace fastnp::python {

namespace {

thread_local bool runs_as_written = false;
// Of the frame that this thread is in.
struct FrameState {
    bool is_frozen = false;        // its parts may not compile
    bool gives_numpy = false;      // it was called with NumPy arrays
    Patience* patience = nullptr;  // with it, if both ways of its calls are being timed
};
thread_local constinit FrameState frame_state;
constexpr std::int64_t many = 1 << 15;      // elements from which native loops are asked whether they are for as many
constexpr std::int64_t large = 65536;      // elements from which a call runs without the GIL
constexpr std::size_t most_guard_sets = 32;
constexpr int most_failures = 3;
constexpr int most_fresh = 100;
constexpr int most_volatile = 3;

// What parts that are called meanwhile are told.
class InFrame {
public:
    InFrame(bool frozen, bool numpy, Patience* patience = nullptr) : before_(std::exchange(frame_state, {frozen, numpy, patience})) {}
    ~InFrame() { frame_state = before_; }
    InFrame(const InFrame&) = delete;
    InFrame& operator=(const InFrame&) = delete;

private:
    FrameState before_;
};

}  // namespace

bool set_as_written(bool now) { return std::exchange(runs_as_written, now); }

CompiledState::CompiledState(PyObject* function, CompileOptions options, std::vector<NamedParameter> named, PyObject* split, bool is_part, bool adaptive)
    : function_(Ref::borrow(function)),
      split_(Ref::borrow(split)),
      is_part_(is_part),
      options_(std::move(options)),
      named_(std::move(named)),
      parameters_(function),
      engine_(std::make_unique<detail::Engine>(options_)),
      read_lists_(own(PySet_New(nullptr))),
      varying_(own(PySet_New(nullptr))),
      computed_(own(PySet_New(nullptr))),
      may_adapt_(adaptive) {
    note_makings();
}

std::shared_ptr<GuardSet> CompiledState::known_guards(std::span<PyObject* const> roots, SlotArrays& inputs) {
    for (std::size_t i = 0; i < guard_sets_.size(); ++i) {
        if (!guard_sets_[i]->holds(roots, inputs)) continue;
        if (i != 0)
            std::rotate(guard_sets_.begin(), guard_sets_.begin() + static_cast<std::ptrdiff_t>(i),
                        guard_sets_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        fresh_ = 0;
        return guard_sets_.front();
    }
    return nullptr;
}

bool CompiledState::take_apart_more(std::span<PyObject* const> roots) {
    return std::count_if(roots.begin(), roots.end(), [&](PyObject* root) { return instances_.note(root); }) > 0;
}

// What the function reads by name, for the log.
static void tell_reads(const std::string& function, const GuardSet& guards) {
    std::string text;
    for (const std::string& each : guards.describe()) text += (text.empty() ? "reads " : "; ") + each;
    const detail::LogScope scope(function);
    if (!text.empty()) detail::tell(detail::Channel::guards, text);
}

std::shared_ptr<GuardSet> CompiledState::new_guards(std::span<PyObject* const> roots, SlotArrays& inputs) {
    if (++fresh_ > most_fresh) return nullptr;
    const detail::CompilingTime compiling;
    const detail::TimelineSpan span("record", "what it reads");
    std::erase_if(guard_sets_, [](const std::shared_ptr<GuardSet>& set) { return set->is_dead(); });
    static PyObject* capture = nullptr;
    kept_attribute(capture, "fastnp._capture", "Capture");
    const Ref objects = own(PyTuple_New(static_cast<Py_ssize_t>(roots.size())));
    for (std::size_t i = 0; i < roots.size(); ++i) PyTuple_SET_ITEM(objects.get(), static_cast<Py_ssize_t>(i), Py_NewRef(roots[i]));
    if (!guard_sets_.empty()) {
        PyObject* const notes_numbers = options_.sizes != DynamicSizes::never ? Py_True : Py_False;
        own(PyObject_CallMethod(guard_sets_.front()->capture(), "note_changed", "OO", objects.get(), notes_numbers));
    }
    Ref found(PyObject_CallFunctionObjArgs(capture, function_.get(), objects.get(), read_lists_.get(), varying_.get(), computed_.get(),
                                           options_.fullgraph ? Py_True : Py_False, nullptr));
    if (!found) {  // an object does not let itself be looked at
        if (PyErr_ExceptionMatches(PyExc_Exception) == 0) throw PythonError{};
        PyErr_Clear();
        return nullptr;
    }
    auto made = std::make_shared<GuardSet>(std::move(found), roots);
    if (!made->holds(roots, inputs)) return nullptr;  // what it reads makes something new each time it is looked at
    guard_sets_.insert(guard_sets_.begin(), made);
    if (guard_sets_.size() > most_guard_sets) guard_sets_.pop_back();
    if (detail::tells(detail::Channel::guards)) tell_reads(options_.name, *made);
    return made;
}

bool CompiledState::tries_both(bool may_compile) const {
    if (!calls_outside_ || !adapts() || !may_compile || options_.fullgraph) return false;
    return !is_part_ || frame_state.patience == nullptr;
}

std::optional<std::uint64_t> CompiledState::look_at(std::span<PyObject* const> arguments) const {
    const auto look = glance(arguments);
    return look && is_part_ && frame_state.gives_numpy ? std::optional(~*look) : look;
}

// A generator or a coroutine, whose parts are called when this call is over.
static bool goes_on_later(PyObject* function) {
    if (PyFunction_Check(function) == 0) return false;
    const int flags = reinterpret_cast<PyCodeObject*>(PyFunction_GetCode(function))->co_flags;
    return (flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR)) != 0;
}

PyObject* CompiledState::as_written(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, const Flat& flat, bool may_compile) {
    return as_written(args, nargs, kwnames, flat, may_compile, frame());
}

PyObject* CompiledState::as_written(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, const Flat& flat, bool may_compile, const Ref& parted,
                                    std::shared_ptr<Trial> trial) {
    if (detail::Ahead::current() != nullptr) throw RecordError("runs in parts, or as written: what is compiled of it, calls find out");
    const InFrame inside(!may_compile, flat.numpy_results() || (is_part_ && frame_state.gives_numpy));
    // In the recording of a transform it is a part of that one, whose values go on as they are.
    const bool records = detail::is_recording();
    const bool in_parts = parted && !records && (may_compile || !goes_on_later(function_.get()));
    const Py_ssize_t count = nargs + (kwnames == nullptr ? 0 : PyTuple_GET_SIZE(kwnames));
    SmallVector<PyObject*, 8> given(std::span<PyObject* const>(args, static_cast<std::size_t>(count)));
    std::vector<Ref> held;
    flat.let_go();
    for (Py_ssize_t i = 0; i < count && flat.takes_foreign(); ++i) given[static_cast<std::size_t>(i)] = held.emplace_back(flat.as_own(args[i])).get();
    const auto result_of = [&](PyObject* called) -> PyObject* {
        const Ref result = flat.as_given(own(PyObject_Vectorcall(called, given.data(), static_cast<std::size_t>(nargs), kwnames)));
        return flat.numpy_results() && !records ? with_numpy_arrays(result.get()).release() : Py_NewRef(result.get());
    };
    const bool counts = in_parts_ && parted;  // else it is counted where it came from
    if (is_part_ || !adapts() || records) {
        if (counts) ++(in_parts ? in_parts_calls_ : uncompiled_);
        const bool is_timed = trial && !records;
        const Stopwatch watch(is_timed);
        PyObject* const result = result_of(in_parts ? parted.get() : function_.get());
        const std::span<PyObject* const> arguments(args, static_cast<std::size_t>(nargs));
        if (counts && in_parts && !is_part_ && may_compile && kwnames == nullptr) note_run(arguments, flat, nullptr, true);
        if (is_timed) note_trial(*trial, Trial::Way::written, watch.spent(), {});
        if (is_timed && trial->is_decided() && trial->next() == Trial::Way::written && kwnames == nullptr) note_run(arguments, flat, trial.get(), false);
        return result;
    }
    if (in_parts && may_compile) trial = trial_of(flat);
    const Trial::Way way = trial ? trial->next() : Trial::Way::compiled;
    const Spending spending(account_, true, draws_on_caller_);
    const bool goes_in_parts = in_parts && way == Trial::Way::compiled;
    if (counts) ++(goes_in_parts ? in_parts_calls_ : uncompiled_);
    std::optional<Patience> patience;
    if (goes_in_parts && trial && !trial->is_decided() && !flat.takes_foreign()) patience.emplace(trial->written());
    const InFrame timed(!may_compile, frame_state.gives_numpy, patience ? &*patience : nullptr);
    PyObject* const result = result_of(goes_in_parts ? parted.get() : function_.get());
    if (trial && !spending.waits()) note_trial(*trial, way, spending.spent(), spending.native_loops(), patience && patience->was_over());
    const bool is_usual = may_compile && kwnames == nullptr && !spending.waits() && (!goes_in_parts || (trial && spending.spent().compiling == 0));
    if (is_usual && (!trial || (trial->is_decided() && trial->next() == way)))
        note_run({args, static_cast<std::size_t>(nargs)}, flat, trial.get(), goes_in_parts);
    return result;
}

// What a frame is called in.
class CompiledState::InParts final : public loops::FrameCaller {
public:
    InParts(CompiledState& state, bool gives_numpy) : state_(state), gives_numpy_(gives_numpy) {}
    PyObject* call(PyObject* function, PyObject* argument) const override { return call(function, std::span<PyObject* const>(&argument, 1)); }
    PyObject* call(PyObject* function, std::span<PyObject* const> arguments) const {
        const InFrame inside(false, gives_numpy_);
        const Spending spending(state_.account_, false, state_.draws_on_caller_);
        return check(PyObject_Vectorcall(function, arguments.data(), arguments.size(), nullptr));
    }

private:
    CompiledState& state_;
    bool gives_numpy_;
};

PyObject* CompiledState::call_in_parts(PyObject* const* args, Py_ssize_t nargs, bool gives_numpy) {
    const Ref parted = in_parts_ ? frame() : Ref();
    if (!parted) return nullptr;
    ++in_parts_calls_;
    const InParts caller(*this, gives_numpy);
    const std::span<PyObject* const> arguments(args, static_cast<std::size_t>(nargs));
    const Ref parts = Ref::borrow(parts_.get());  // which have the frame
    std::optional<py::object> found = frame_->call(arguments, caller);
    const Ref result(found ? found->release().ptr() : caller.call(parted.get(), arguments));
    return gives_numpy ? with_numpy_arrays(result.get()).release() : Py_NewRef(result.get());
}

// A limit is reached: said once.
void CompiledState::note_refused(const std::string& why, const Bound& bound) {
    if (std::find(refused_.begin(), refused_.end(), why) != refused_.end() || refused_.size() >= 32) return;
    refused_.push_back(why);
    const std::string text = options_.name + " runs as written for calls that need another compilation: " + told(why, bound);
    reasons_.push_back(text);
    if (is_part_) return;  // explain tells it: the user wrote no such function
    if (PyErr_WarnEx(recompile_warning, text.c_str(), 1) != 0) throw PythonError{};
}

PyObject* CompiledState::uncompiled(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, const Flat& flat, const std::string& reason,
                                    bool may_compile) {
    if (options_.fullgraph || detail::Ahead::current() != nullptr)
        throw RecordError(options_.place.empty() ? reason : reason + " (" + options_.place + ")");
    ++uncompiled_;
    if (std::find(reasons_.begin(), reasons_.end(), reason) == reasons_.end() && reasons_.size() < 32) reasons_.push_back(reason);
    return as_written(args, nargs, kwnames, flat, may_compile);
}

void CompiledState::note_recorded(bool of_varying_numbers) {
    failures_ = 0;
    varied_ += of_varying_numbers ? 1 : 0;
}

bool CompiledState::note_raised() { return ++failures_ >= most_failures; }

void CompiledState::note_volatile(const char* why) {
    if (why == nullptr) volatile_ = 0;
    else if (++volatile_ > most_volatile) throw RecordError(given_up_ = why);
}

detail::Engine::Result CompiledState::run(const Flat& flat, Recorded& call, std::vector<array>& results, bool may_compile) {
    const auto serve = [&] { return engine_->call({flat.arguments.data(), flat.arguments.size()}, flat.key_view(), call, may_compile, results); };
    struct Accounted {
        Account* account;
        Nanoseconds before = detail::compiling_time();
        ~Accounted() {
            if (account != nullptr) account->compiling += detail::compiling_time() - before;
        }
    } const accounted{is_part_ ? nullptr : &account_};  // of a part, the call of the function counts it
    if (flat.elements <= large) return serve();
    const Released released;
    return serve();
}

static bool knows_any(const Flat& flat, const GuardSet& guards) {
    return std::any_of(flat.containers.begin(), flat.containers.end(), [&](PyObject* each) { return guards.guards(each); });
}

// Marks the containers that the function knows by name, too: stores through one are seen through the other. Whether there are any.
static bool mark_known(Flat& flat, const GuardSet& guards) {
    bool any = false;
    for (std::size_t i = 0; i < flat.containers.size(); ++i) {
        if (!guards.guards(flat.containers[i])) continue;
        any = true;
        flat.mark(Tag::known_container, static_cast<std::uint64_t>(i));
    }
    return any;
}

[[gnu::cold, gnu::noinline]] bool CompiledState::has_float_errors(const Return& made, bool can_take_back) {
    const unsigned met = detail::float_flags();
    detail::clear_float_flags();
    if (!float_verdicts_.is_worth(met, made.float_errors)) return false;
    if (!can_take_back) FloatVerdicts::tell_unseen(met, made.float_errors, options_.name);
    return can_take_back;
}

PyObject* CompiledState::call(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, bool may_compile) {
    // Inside a recording (of a caller) it is a part of that one.
    if (recording != nullptr || runs_as_written || detail::is_disabled())
        return check(PyObject_Vectorcall(function_.get(), args, static_cast<std::size_t>(nargs), kwnames));
    if (is_part_ && frame_state.patience != nullptr && frame_state.patience->is_over()) [[unlikely]] {
        const Ref result = own(PyObject_Vectorcall(function_.get(), args, static_cast<std::size_t>(nargs), kwnames));
        return frame_state.gives_numpy ? with_numpy_arrays(result.get()).release() : Py_NewRef(result.get());
    }
    const bool is_positional = kwnames == nullptr || PyTuple_GET_SIZE(kwnames) == 0;
    const bool is_asked_for_all = float_verdicts_.is_asked_for_all();
    if (quick_ && is_positional && !is_asked_for_all) {
        if (PyObject* result = call_quickly({args, static_cast<std::size_t>(nargs)})) return result;
    }
    if (!written_kinds_.empty() && may_compile && is_positional) {
        if (const std::optional<PyObject*> result = call_as_known(args, nargs)) return *result;
    }
    if (is_hopeless()) return check(PyObject_Vectorcall(function_.get(), args, static_cast<std::size_t>(nargs), kwnames));
    may_compile = may_compile && !(is_part_ && frame_state.is_frozen) && affords_more();
    if (waits_ && may_compile) {
        if (affords_unrolling()) unrolls_ = std::exchange(waits_, false);
        else may_compile = false;
    }
    Bound bound;
    Flat flat(options_.sizes == DynamicSizes::never ? nullptr : &numbers_, instances_);
    const std::span<PyObject* const> arguments(args, static_cast<std::size_t>(nargs));
    const std::uint64_t begin = ticks();
    try {
        PyObject* const result = serve(args, nargs, kwnames, may_compile, is_asked_for_all, bound, flat);
        if (has_raised_ && is_positional) note_no_exception(arguments);
        return result;
    } catch (const PythonError&) {
        if (is_positional && may_compile) note_exception(arguments, flat.numpy_results(), nanoseconds_of(ticks() - begin));
        throw;
    }
}

PyObject* CompiledState::serve(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, bool may_compile, bool is_asked_for_all, Bound& bound,
                               Flat& flat) {
    if (!parameters_.bind(function_.get(), args, nargs, kwnames, bound))
        return check(PyObject_Vectorcall(function_.get(), args, static_cast<std::size_t>(nargs), kwnames));
    const bool is_ahead = detail::Ahead::current() != nullptr;
    Starts starts;
    Parameters::flatten(bound, flat, named_.empty() ? nullptr : &starts);
    // A transform around it sees what the function does, also to arrays of which it knows more than lies in their memory.
    if (detail::is_recording()) detail::note_backend(options_.backend);
    if (detail::is_recording()) return as_written(args, nargs, kwnames, flat, may_compile, Ref());
    if (is_asked_for_all) {
        ++uncompiled_;
        return as_written(args, nargs, kwnames, flat, may_compile, Ref());
    }
    flat.add_numbers();
    const NamedSizes named = named_.empty() || !flat.compilable ? NamedSizes() : named_sizes_of(named_, bound, starts, flat, !is_part_);
    if (!has_recalled_ && may_compile) recall_parts(args, nargs);
    if (in_parts_ && parts_ && may_compile && flat.elements > many) outgrow_parts(args, nargs);
    if (const Ref parted = in_parts_ ? frame() : Ref()) return as_written(args, nargs, kwnames, flat, may_compile, parted);
    if (!flat.compilable && flat.took_apart() && instances_.refuse()) return again(args, nargs, kwnames, may_compile);
    if (!flat.compilable) return uncompiled(args, nargs, kwnames, flat, flat.reason, may_compile);
    if (!given_up_.empty()) return uncompiled(args, nargs, kwnames, flat, given_up_, may_compile);
    SlotArrays inputs;
    const std::span<PyObject* const> roots(flat.roots.data(), flat.roots.size());
    std::shared_ptr<GuardSet> guards = known_guards(roots, inputs);
    if (!guards && may_compile) {
        if (take_apart_more(roots)) return again(args, nargs, kwnames, may_compile);
        guards = new_guards(roots, inputs);
    }
    if (!guards)
        return uncompiled(args, nargs, kwnames, flat, "what it reads, or an object among its arguments, is another one at every call", may_compile);
    if (!guards->reason().empty()) {
        if (!parts_ && !options_.fullgraph && !is_ahead) split({guards->reason(), {}});
        return uncompiled(args, nargs, kwnames, flat, guards->reason(), may_compile);
    }
    if (!flat.number_lists().empty() && (flat.has_list_twice() || guards->asks_identity() || knows_any(flat, *guards))) {
        numbers_.lists.refuse(flat.number_lists());
        return again(args, nargs, kwnames, may_compile);
    }
    flat.set_generation(guards->generation());
    flat.mark_nans(guards->nans());
    flat.given = flat.objects.size();
    if (detail::Ahead* const ahead = detail::Ahead::current()) ahead->given = flat.arguments.size();
    for (const Ref& input : inputs) flat.add_input(input.get());
    if (detail::is_recording()) return as_written(args, nargs, kwnames, flat, may_compile, Ref());  // one of them is on a tape
    if (guards->is_plain_numpy() || (is_part_ && frame_state.gives_numpy)) flat.expect_numpy();
    flat.settle();
    if (guards->asks_identity()) {
        std::vector<PyObject*> parts = Parameters::all(bound);
        for (const Ref& input : inputs) {
            if (PyArray_IsScalar(input.get(), Generic)) parts.push_back(input.get());
        }
        flat.mark_identities(parts);
    }
    if (!flat.compilable) return uncompiled(args, nargs, kwnames, flat, "reads something outside of its arguments: " + flat.reason, may_compile);

    if (mark_known(flat, *guards) && guards->asks_identity())
        return uncompiled(args, nargs, kwnames, flat, "asks whether an argument is what it knows by name", may_compile);
    const std::shared_ptr<Trial> trial = tries_both(may_compile) && !is_ahead ? trial_of(flat) : nullptr;
    if (trial && trial->next() == Trial::Way::written) {
        ++uncompiled_;
        return as_written(args, nargs, kwnames, flat, may_compile, Ref(), trial);
    }
    const auto watch = trial ? std::optional<Stopwatch>(std::in_place) : std::nullopt;
    Recorded recorded(*this, bound, flat, named, *guards, {args, static_cast<std::size_t>(kwnames == nullptr ? nargs : 0)});
    flat.hold();
    detail::Results given;
    std::vector<array>& results = given.arrays;
    detail::Engine::Result outcome{};
    try {
        outcome = run(flat, recorded, results, may_compile);
    } catch (const RaisedWhileRecording&) {
        ++uncompiled_;
        recorded.take_back();
        return as_written(args, nargs, kwnames, flat, may_compile);
    } catch (const SplitFirst&) {
        recorded.take_back();
        split(*recorded.end(), true);
        waits_ = !in_parts_ && (!is_part_ || ++too_long_ > 1);
        flat.let_go();
        if (waits_ && affords_unrolling()) return again(args, nargs, kwnames, may_compile);
        ++uncompiled_;
        return as_written(args, nargs, kwnames, flat, may_compile);
    } catch (const GoesNative&) {
        recorded.take_back();
        flat.let_go();
        return again(args, nargs, kwnames, may_compile);
    } catch (const LookAgain&) {
        recorded.take_back();
        std::erase(guard_sets_, guards);
        flat.let_go();
        return again(args, nargs, kwnames, may_compile);
    } catch (const ListsRefused&) {
        recorded.take_back();
        flat.let_go();
        return again(args, nargs, kwnames, may_compile);
    }
    if (is_ahead) {
        if (outcome.outcome == detail::Engine::Outcome::uncompiled) throw RecordError(outcome.refused);
        return Py_NewRef(Py_None);
    }
    if (outcome.outcome == detail::Engine::Outcome::uncompiled) {
        recorded.take_back();
        if (recorded.end()) split(*recorded.end(), !outcome.refused.empty());
        if (!outcome.refused.empty() && may_compile && !recorded.end()) note_refused(outcome.refused, bound);
        return as_written(args, nargs, kwnames, flat, may_compile);
    }
    const auto* made = static_cast<const Return*>(outcome.kept.get());
    const bool is_suspected = detail::any_float_flag() || made->float_errors.met != 0 || float_verdicts_.is_asked_for_all();
    if (is_suspected && has_float_errors(*made, recorded.can_take_back())) [[unlikely]] {
        // As written, each function looks for itself, under the state that holds there.
        recorded.take_back();
        return as_written(args, nargs, kwnames, flat, may_compile, Ref());
    }
    if (trial) note_trial(*trial, Trial::Way::compiled, watch->spent(), {});
    else if (!made->calls.empty()) calls_outside_ = true;
    note_served({args, static_cast<std::size_t>(nargs)}, kwnames == nullptr || PyTuple_GET_SIZE(kwnames) == 0, inputs, flat, guards, outcome);
    if (made->result.kind == Output::Kind::array && made->actions.empty()) {
        return result_array(std::move(results[0]), made->result, flat, flat.numpy_results());
    }
    SmallVector<PyObject*, 8> objects(results.size(), nullptr);
    Ref result(put_together(made->result, flat, results, objects.data(), flat.numpy_results()));
    act(*made, flat, results, objects);
    return result.release();
}

void CompiledState::clear() {
    engine_->clear();
    guard_sets_.clear();
    drop_parts();
    unrolls_ = false;
    waits_ = false;
    has_recalled_ = false;
    reasons_.clear();
    refused_.clear();
    failures_ = 0;
    given_up_.clear();
    volatile_ = 0;
    fresh_ = 0;
    uncompiled_ = 0;
    in_parts_calls_ = 0;
    unserved_ = 0;
    account_ = {};
    calls_outside_ = false;
    if (!is_part_ && split_.get() != Py_None) (void)own(PyObject_CallMethod(split_.get(), "forget_written", nullptr));
    trials_.clear();
    written_kinds_.clear();
    has_raised_ = false;
    if (!quick_ || !quick_->is_busy()) quick_.reset();
}

CacheInfo CompiledState::cache_info() const {
    CacheInfo info = engine_->cache_info();
    info.hits += in_parts_calls_;
    info.uncompiled += uncompiled_;
    return info;
}

}  // namespace fastnp::python
