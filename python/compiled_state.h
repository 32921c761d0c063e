// What a compiled function holds, the way of a call through it (compiled_call.cpp), its parts (compiled_parts.cpp) and its recording
// (compiled_record.cpp); the Python type around it is in compiled.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "fastnp/detail/ahead.h"
#include "fastnp/detail/deterministic.h"
#include "float_verdicts.h"
#include "guards.h"
#include "named_sizes.h"
#include "outside.h"
#include "parameters.h"
#include "quick_call.h"
#include "worth.h"

namespace fastnp::python {

/// The GIL is free while it lives.
struct Released {
    PyThreadState* state = PyEval_SaveThread();
    Released() = default;
    Released(const Released&) = delete;
    ~Released() noexcept(false) {
        if (is_finalizing()) hang();
        PyEval_RestoreThread(state);
    }
};

/// A recording got longer than is good where a loop can stay a loop: in that case it is tried.
struct SplitFirst {};

/// How a recording ended that can't be kept.
struct RecordingEnd {
    std::string reason;
    Ref traceback;  // null if the function itself had come to its end
    bool is_long = false;
    double milliseconds = 0;
};

/// Of calls that look alike those in a row that end in an exception of the function: compiled, then as written, which may be sooner.
struct Raising {
    int count = 0;
    Nanoseconds compiled = std::numeric_limits<Nanoseconds>::max(), written = compiled;  // the quickest
    bool is_as_written = false;
    bool is_over = false;  // compiled they end sooner
};

/// Calls that look alike: whether all of these are as written, or all of them in parts, and their results NumPy's.
struct WrittenKind {
    bool is_written = false, is_in_parts = false, gives_numpy = false;
    bool is_other = false;  // at times they are not, or give fastnp's arrays
    int count = 0;          // of calls for which nothing was compiled
    int parted = 0;         // of these that went in parts, and then of all
    Raising raising{};
};

/// What a call is at a glance: types, layouts, and orders of magnitude. Nothing for arguments that take a closer look.
std::optional<std::uint64_t> glance(std::span<PyObject* const> arguments);

namespace loops {
class Frame;
}

class CompiledState {
public:
    using Limits = detail::Engine::Callee::Limits;

    /// `split`: called when a recording breaks, it gives the function's parts (fastnp._parts.Parts) or None.
    /// `is_part`: it is a part of another compiled function, and compiles nothing where that one may not.
    /// `adaptive`: calls are run as written where that is faster, and compilations wait until they are affordable.
    CompiledState(PyObject* function, CompileOptions options, std::vector<NamedParameter> named, PyObject* split, bool is_part, bool adaptive);

    /// It is compiled because another function calls it: what it compiles counts for that one, and has to be affordable there.
    void draw_on_caller() { draws_on_caller_ = true; }

    /// A call of the compiled function; unless `may_compile`, what nothing is compiled for runs as written.
    PyObject* call(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, bool may_compile = true);
    /// What is made of such a call before it comes, up to there, as a dict: the graph, the entry. RecordError for what only a call finds out.
    PyObject* look_ahead(detail::Ahead::Until until, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
    /// The graph that the passes leave, in words for others (told_graph.h). Before the arguments: a tuple of the arrays' names.
    PyObject* told(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
    /// The bytes of a library for other processes. Before the arguments: its name, and a tuple of the arrays' names.
    PyObject* exported(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
    void clear();
    CacheInfo cache_info() const;
    /// Reasons why calls ran as written that the engine does not know of.
    const std::vector<std::string>& reasons() const { return reasons_; }
    /// The plain values among a call's arguments (a dict of texts), for words that say which changed since the last recording; null for parts.
    Ref described(const Bound& bound) const;
    void note_described(Ref described) { described_ = std::move(described); }
    const std::vector<std::shared_ptr<GuardSet>>& guard_sets() const { return guard_sets_; }
    detail::Engine& engine() { return *engine_; }
    PyObject* function() const { return function_.get(); }
    /// How far a loop is unrolled: where it can stay a loop, as far as that is likely to pay.
    Limits limits() const;
    bool unrolls() const { return unrolls_ || options_.fullgraph; }
    /// The parts that the function is compiled in, where it is not as a whole, or None.
    PyObject* parts() const { return parts_ ? parts_.get() : Py_None; }
    const CompileOptions& options() const { return options_; }
    const Parameters& parameters() const { return parameters_; }

    /// A recording ended well.
    void note_recorded(bool of_varying_numbers);
    /// A recording was for the sizes at hand alone, though others of it vary: as if these were numbers.
    void note_size_read() { reads_sizes_ = true; }
    bool reads_sizes() const { return reads_sizes_; }
    /// Numbers that a call of this kind reads differ from call to call: whether it has loops that become native code instead, which is tried once. What
    /// is called there and has loops is watched for in the recording that follows. `arguments`: by position.
    bool goes_native(std::span<PyObject* const> arguments);
    /// Whether functions with loops that are called are to be found in the next recording.
    bool watches_loops() { return std::exchange(watches_loops_, false); }
    /// What says whether such a function's loops may become native code.
    PyObject* split() const { return split_.get(); }
    /// The function raised in a recording; true after several in a row.
    bool note_raised();
    /// Why the function changes what it reads at every call, or null. RecordError after several in a row.
    void note_volatile(const char* why);
    /// Lists of numbers can't be arrays, as it turned out: the one that the recording ended at, or all of these.
    void refuse_lists(std::span<const std::uint64_t> places);
    FloatVerdicts& float_verdicts() { return float_verdicts_; }
    /// Whether it may compile one more course beside as many.
    bool affords_course(std::size_t courses) const;

private:
    std::shared_ptr<GuardSet> known_guards(std::span<PyObject* const> roots, SlotArrays& inputs);
    std::shared_ptr<GuardSet> new_guards(std::span<PyObject* const> roots, SlotArrays& inputs);
    /// Whether objects among the arguments are taken apart that were not.
    bool take_apart_more(std::span<PyObject* const> roots);
    /// Runs the function as written, in parts where there are any.
    PyObject* as_written(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, const Flat& flat, bool may_compile);
    /// Whether nothing served the last calls of a part, so that it is not worth looking at this one.
    bool is_hopeless();
    /// By a frame that is at hand, or null. `trial`: of a function that is compiled as a whole.
    PyObject* as_written(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, const Flat& flat, bool may_compile, const Ref& parted,
                         std::shared_ptr<Trial> trial = nullptr);
    PyObject* uncompiled(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, const Flat& flat, const std::string& reason, bool may_compile);
    /// What takes the function's place where a recording broke, or null.
    Ref frame();
    /// The recording broke: from now on the function may be compiled in parts; of one that has too many courses, all calls are.
    void split(const RecordingEnd& end, bool has_courses = false);
    /// What another process found of where it breaks.
    void recall_parts(PyObject* const* args, Py_ssize_t nargs);
    /// A call with many elements, of a function that may be in parts because its first calls had few.
    void outgrow_parts(PyObject* const* args, Py_ssize_t nargs);
    void take_parts(Ref found);
    void drop_parts();
    detail::Engine::Result run(const Flat& flat, Recorded& call, std::vector<array>& results, bool may_compile);
    void note_refused(const std::string& why, const Bound& bound);
    std::string told(const std::string& why, const Bound& bound) const;
    bool affords(Nanoseconds needed) const;
    bool affords_unrolling() const;
    /// Whether a call may compile anything: of parts and of functions that others call, when these afford it.
    bool affords_more() const;
    /// Has calls like one that was just served be made without a look at the rest, if they are likely to come.
    void note_served(std::span<PyObject* const> arguments, bool is_positional, const SlotArrays& inputs, const Flat& flat,
                     const std::shared_ptr<GuardSet>& guards, const detail::Engine::Result& served);
    /// Notes a call that Python has run: whether that was decided, and which way.
    void note_run(std::span<PyObject* const> arguments, const Flat& flat, const Trial* trial, bool in_parts);
    /// Whether the parts are of the function as it is.
    bool is_same_function() const;
    void note_makings();
    /// Calls like this one are known to be as written, or in parts, which is told by a look at what is passed alone: nothing if they are not. Null where
    /// the function raised.
    std::optional<PyObject*> call_as_known(PyObject* const* args, Py_ssize_t nargs);
    PyObject* call_as_raising(std::uint64_t look, PyObject* const* args, Py_ssize_t nargs);
    /// That of a glance, or null.
    WrittenKind* known_kind(std::uint64_t look);
    /// What is not decided by the way that calls like it went before.
    PyObject* prepare(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
    /// The call begins anew: with another look at what is passed.
    PyObject* again(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, bool may_compile) {
        return detail::Ahead::current() != nullptr ? prepare(args, nargs, kwnames) : call(args, nargs, kwnames, may_compile);
    }
    PyObject* serve(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, bool may_compile, bool is_asked_for_all, Bound& bound, Flat& flat);
    /// A call that was not known ended in an exception, after so long.
    void note_exception(std::span<PyObject* const> arguments, bool gives_numpy, Nanoseconds spent);
    /// ... or in none.
    void note_no_exception(std::span<PyObject* const> arguments);
    class InParts;
    PyObject* call_in_parts(PyObject* const* args, Py_ssize_t nargs, bool gives_numpy);
    PyObject* call_quickly(std::span<PyObject* const> arguments);
    /// That of a call that may be run both ways.
    std::shared_ptr<Trial> trial_of(const Flat& flat);
    void note_trial(Trial& trial, Trial::Way way, const Account& spent, const NativeLoops& native_loops, bool gave_up = false);
    /// Whether calls that are compiled as a whole may be slower than as written: they call functions of the outside. Parts of a call that is timed itself
    /// are as they are.
    bool tries_both(bool may_compile) const;
    /// What the arguments are at a glance, and, of a part, what its frame gives. Nothing for arguments that take a closer look.
    std::optional<std::uint64_t> look_at(std::span<PyObject* const> arguments) const;
    /// Whether floating-point errors of the call that was made are worth being told.
    bool has_float_errors(const Return& made, bool can_take_back);
    static void act(const Return& made, const Flat& flat, std::vector<array>& results, SmallVector<PyObject*, 8>& objects);

    Ref function_;
    Ref split_, parts_;
    std::shared_ptr<loops::Frame> frame_;  // the parts'
    std::array<Ref, 3> framed_;  // the code and the defaults of the function that the parts are of
    bool is_part_, draws_on_caller_ = false;
    bool has_recalled_ = false;
    bool unrolls_ = false;  // there is no source to keep loops
    bool waits_ = false;  // ... once that is affordable
    int too_long_ = 0;  // of a part: recordings that got too long
    bool calls_outside_ = false;  // at least in some of its calls
    int varied_ = 0;  // recordings of numbers that vary
    bool reads_sizes_ = false;
    bool watches_loops_ = false;
    bool in_parts_ = false;  // no call of it was compiled as a whole, and there is a frame
    CompileOptions options_;
    std::vector<NamedParameter> named_;  // sizes that have names
    Parameters parameters_;
    std::unique_ptr<detail::Engine> engine_;
    std::vector<std::shared_ptr<GuardSet>> guard_sets_;  // the last used first
    Ref read_lists_;  // ids of lists that are read, not only made longer
    Ref varying_;  // places of numbers that changed between calls
    Ref computed_;  // names of attributes that are read though the code does not show them
    Numbers numbers_;
    Instances instances_;
    std::string given_up_;  // why no call is compiled any more, or empty
    int volatile_ = 0;  // recordings in a row that change what they read
    std::vector<std::string> reasons_;
    std::vector<std::string> refused_;  // why calls run as written, in the engine's words: each is told once
    Ref described_;  // plain values of the call that was recorded last
    int fresh_ = 0;  // guard sets made in a row without one being used again
    int failures_ = 0;  // recordings in a row that ended by an exception of the function
    std::uint64_t uncompiled_ = 0, in_parts_calls_ = 0;
    std::uint64_t unserved_ = 0;  // of a part: calls in a row that nothing was compiled for
    FloatVerdicts float_verdicts_;
    bool may_adapt_;
    bool adapts() const { return may_adapt_ && !detail::is_deterministic(); }
    std::unique_ptr<QuickCall> quick_;
    detail::Renewal quick_renewal_;
    Account account_;
    Trials trials_;
    std::unordered_map<std::uint64_t, WrittenKind> written_kinds_;  // by what is seen at a glance
    bool has_raised_ = false;
};

/// A call, as the engine records it.
class Recorded final : public detail::Engine::Callee {
public:
    /// `arguments`: those by position, if there are no others.
    Recorded(CompiledState& state, const Bound& bound, const Flat& flat, const NamedSizes& named, GuardSet& guards, std::span<PyObject* const> arguments)
        : state_(state), bound_(bound), flat_(flat), named_(named), guards_(guards), arguments_(arguments) {}
    std::vector<array> record(std::span<const array> parameters) override;
    void note_left_out() override;
    std::shared_ptr<const void> keep() override;
    std::optional<detail::Given> make_call(const void* kept, int number, std::span<const array> operands, bool is_last) override;
    std::string identity() override;
    std::optional<std::string> pack(const void* kept) override;
    std::shared_ptr<const void> restore(std::string_view packed) override;
    void will_write(std::span<const std::span<std::byte>> memory, bool is_all) override;
    void wait(const std::function<void()>& body) override;
    Limits limits() const override { return state_.limits(); }
    bool goes_in_parts() const override { return !state_.options().fullgraph; }
    bool affords_course(std::size_t courses) const override { return state_.affords_course(courses); }
    const NamedSizes* named_sizes() const override { return &named_; }
    /// While recording: what a call of an `Outside` gives.
    Ref call_outside(PyObject* function, PyObject* args, PyObject* kwargs);
    /// How many of these were noted so far.
    std::size_t outside_calls() const { return calls_.size(); }
    /// A dict of the objects that calls of the outside made in this call (fastnp._made), by their places.
    PyObject* made_objects();
    /// That of the call which this thread records, or makes a call of the outside for; null outside of both.
    static Recorded* under_way();
    /// How its recording ended, if it was not to be kept.
    const std::optional<RecordingEnd>& end() const { return end_; }
    /// The call starts over as written: generators of random numbers are put back, and what was written over where it was kept.
    void take_back();
    /// Whether the call can start over after the compiled code has run.
    bool can_take_back() const {
        return written_.is_whole() && std::ranges::all_of(performed_, [](const Performed& call) { return bool(call.state); });
    }

private:
    std::vector<array> record_once(std::span<const array> parameters);
    void look_again() const;
    bool looks_again() const;
    std::vector<array> take(PyObject* result, const Recording& now, const Rebuild& rebuild, PyObject* originals);
    std::vector<Ref> effects_of(const Recording& now, const Rebuild& rebuild);

    CompiledState& state_;
    const Bound& bound_;
    const Flat& flat_;
    const NamedSizes& named_;
    GuardSet& guards_;
    std::span<PyObject* const> arguments_;
    std::unique_ptr<Return> made_;
    std::optional<RecordingEnd> end_;
    std::vector<Performed> performed_;  // calls of the outside so far, by their number
    Performed performed(const OutsideCall& call, std::span<const array> operands, bool saves);

    Ref made_objects_;
    Overwritten written_;
    bool is_new_ = false;  // recorded in this call
    std::vector<OutsideCall> calls_;  // noted by the recording that goes on
    const Rebuild* rebuild_ = nullptr;  // of that recording
    PyObject* originals_ = nullptr;
};

/// The function itself raised while it was recorded: it is called as written, so that the caller sees what it does then.
struct RaisedWhileRecording {};

/// Loops of the recorded function become native code instead.
struct GoesNative {};

/// The recorded function reads a list that it was thought only to make longer: what it reads is looked for once more.
struct LookAgain {};

/// ... or lists as arrays that can't be ones.
struct ListsRefused {};

}  // namespace fastnp::python
