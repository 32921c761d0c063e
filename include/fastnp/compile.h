// fastnp::compile: a function over arrays becomes fused machine code, compiled on first use and kept per kind of argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fastnp/array.h"
#include "fastnp/backends.h"
#include "fastnp/detail/argument.h"
#include "fastnp/detail/outside.h"
#include "fastnp/export.h"

namespace fastnp {

/// \addtogroup compile
/// @{

/// A size that may vary from `low` to `high`, in steps of `multiple_of`, without a new compilation: options.dynamic = {{{argument, axis}, Dim("n", 1,
/// 4096)}}. Equal names mean equal sizes.
struct Dim {
    std::string name;                ///< sizes of one name are equal
    std::int64_t low = 0;            ///< the least
    std::int64_t high = INT64_MAX;   ///< the largest
    std::int64_t multiple_of = 1;    ///< of which all are multiples
    /// A size of any number, unless said otherwise.
    Dim(std::string name_, std::int64_t low_ = 0, std::int64_t high_ = INT64_MAX, std::int64_t multiple_of_ = 1)  // NOLINT: a name is a size
        : name(std::move(name_)), low(low_), high(high_), multiple_of(multiple_of_) {}
};

/// Sizes that have names, by (argument, axis). Axes from -1 down are counted from the last.
using NamedSizes = std::map<std::pair<int, int>, Dim>;

/// What happens when a call needs a new kind of entry and there are cache_size_limit of them. Generalise: what was not called for longest makes room, but
/// where more kinds alternate than there is room for, the surplus runs as written (what differs in sizes alone never counts: the second size makes an
/// entry for all sizes). Evict: what was not called for longest makes room. Eager: such calls run as written. Error: CacheLimitError.
enum class OnLimit : std::uint8_t { generalise, evict, eager, error };

/// Sizes that are not named in CompileOptions::dynamic: they vary from the second size on, from the first call on, or never.
enum class DynamicSizes : std::uint8_t { automatic, always, never };

/// Keyword arguments of compile(): compile(f, {.name = "f", .fullgraph = true}).
struct CompileOptions {
    /// What is made of the recorded ops, by name: "llvm", fused machine code, another rung of the ladder (backends.h), or a user's (graph.h).
    std::string backend = "llvm";
    /// Sizes known to vary, by (position among the flattened array arguments, axis).
    NamedSizes dynamic = {};
    /// How sizes are compiled that are not named.
    DynamicSizes sizes = DynamicSizes::automatic;
    /// A function that can't be recorded is an error instead of running uncompiled.
    bool fullgraph = false;
    /// Kinds of calls that compiled entries are kept for; entries that differ in the values they read count as one. At least 1; ValueError otherwise.
    std::size_t cache_size_limit = 8;
    /// What a call does that needs one more.
    OnLimit on_limit = OnLimit::generalise;
    /// Every so many calls the function is recorded once more, and VerifyError says what is different now: something that it depends on and that is not
    /// guarded (in C++, what a lambda reads through references: see ref.h), and of a C++ function that it stores arrays in variables of the outside. 0:
    /// never.
    std::uint64_t verify = 0;
    /// Machine code is made in a thread of its own; until it is there, calls run the function as written. (Calls record, as ever: that is the user's code.
    /// What a device runs is compiled at once.)
    bool background = false;
    /// For explain() and for errors: the function's name.
    std::string name = "function";
    /// For errors of devices: where the function is ("file:line"); empty: in C++ where compile() is called.
    std::string place = {};
};

/// Counts of a compiled function: calls served from the cache, calls that were not, entries held, compilations done.
struct CacheInfo {
    std::uint64_t hits = 0;  ///< calls served from the cache
    std::uint64_t misses = 0;  ///< calls that were not
    std::uint64_t currsize = 0;  ///< entries held
    std::uint64_t compiles = 0;  ///< compilations done
    std::uint64_t uncompiled = 0;  ///< calls that ran the function as written
};

/// A kernel of a compiled entry.
struct KernelInfo {
    std::string name;  ///< of the step
    /// "elementwise", "rows", "columns", "reduction", "precompiled", "call", "loop", or, of a device's, "by the host: " and why.
    std::string kind;
    std::vector<std::string> ops;  ///< fused ops
    std::string axes;  ///< iteration space
    /// Of the last call in a profile_scope: the time that the step took, and how often it was done (in a loop's body at each turn; the time is that of all
    /// turns). Negative: there was no such call, or it was not measured by itself (turns that the host takes).
    double milliseconds = -1;
    std::uint64_t count = 0;  ///< how often it was done
    std::vector<std::string> lines = {};  ///< the user's lines that it does: "model.py:12 in loss"
    /// Of doing it once, for the sizes of the call that was measured, else of the one that it was made for; negative: it is not known. What is read or
    /// written again counts once. Floating-point operations are counted in additions: a function is some of them.
    double bytes_read = -1;
    double bytes_written = -1;  ///< the same
    double flops = -1;  ///< the same
    std::string apart;  ///< why it is no part of an earlier one; empty: it could be part of none
    int apart_from = -1;  ///< that one, by its place; -1: none
};
/// Memory of a compiled entry's run: an argument's, a result's, a temporary's, or what a call or a loop gave.
struct MemoryInfo {
    std::string kind;  ///< "argument", "result", "temporary" or "given"
    int number = 0;  ///< among those of its kind
    std::string size;  ///< in bytes, by the names of sizes; empty: it is not known
    std::int64_t bytes = -1;  ///< for the sizes at hand, as a kernel's; -1: it is not known
    int place = -1;  ///< of a temporary: those of one place take over each other's memory
    int first = -1;  ///< the first of the kernels that use it, by its place; -1: none does
    int last = -1;  ///< the last one
};
/// A pass that changed the graph.
struct PassInfo {
    std::string name;  ///< "recorded": the graph before all passes
    std::string text;  ///< the graph after it
};
/// Why something was compiled, or was not found.
struct MissInfo {
    std::string reason;  ///< what changed, from what to what
    std::string advice;  ///< what would help, or empty
    double milliseconds = 0;  ///< that it cost
};
/// What a compiled function keeps for one kind of calls.
struct EntryInfo {
    std::string reason;  ///< of this compilation
    std::string uncompiled;  ///< why it runs uncompiled, if it does
    std::vector<std::string> guards;  ///< what a call is like that it serves
    std::vector<KernelInfo> kernels;  ///< what it does, in order
    std::vector<std::pair<std::string, double>> milliseconds;  ///< that phases of the compilation took
    std::string ir;  ///< the recorded ops
    std::string ir_lines;  ///< the same with the user's lines at the ends
    std::string loops;  ///< the fused loops
    std::string llvm;  ///< the code for LLVM, if it was asked for
    std::string assembly;  ///< the machine code, if it was asked for
    std::string emitted;  ///< the code for LLVM before LLVM's passes, if it was asked for
    std::string device;  ///< where it runs: "cpu", or a device's name
    std::vector<MemoryInfo> memory;  ///< what its run takes
    std::vector<PassInfo> passes;  ///< the graph from pass to pass, where it was made within an explain_scope
    std::vector<std::string> inputs;  ///< the arguments of the call that it was made for, where that was within an explain_scope
};

/// While it lives, calls of compiled functions by this thread are measured, step by step, for entries() and explain(): on a device by events in its stream
/// (what a step is to be waited for counts, so steps that take less than their launch seem to take as long as that), on the host by the clock. Such calls
/// wait for the device. (torch.profiler, cupyx.profiler)
class FASTNP_API profile_scope {
public:
    /// Measures from here on.
    [[nodiscard]] profile_scope();
    /// No longer.
    ~profile_scope();
    profile_scope(const profile_scope&) = delete;
    profile_scope& operator=(const profile_scope&) = delete;

private:
    bool before_;
};

/// Has functions that are recorded from now on run as written if they use one of these: names of ops and functions ("sin"), or patterns ("arc*"), until
/// allow_in_graph() takes it back.
FASTNP_API void disallow_in_graph(const std::vector<std::string>& names);
/// Takes back what disallow_in_graph() said of these names.
FASTNP_API void allow_in_graph(const std::vector<std::string>& names);

/// @}

namespace detail {

/// Whether FASTNP_DISABLE is set, so that compiled functions run as written.
FASTNP_API bool is_disabled();
/// What a front end noted on disk under this name, in this process or another one, if it is still there. Hints alone: it may be old.
FASTNP_API bool keeps_notes();
FASTNP_API std::optional<std::string> kept_note(std::string_view name);
FASTNP_API void keep_note(std::string_view name, std::string_view note);
/// RecordError, in a recording, for a function that was disallowed.
FASTNP_API void check_allowed(std::string_view name);

/// The same sizes, where those of one name have the range that is in all of theirs. ValueError for a range without a size in it.
FASTNP_API NamedSizes unified(NamedSizes named);
/// An error that says so for what a call lacks of its named sizes: IndexError for an argument, AxisError for an axis, ValueError for a size outside of its
/// range, or one that is another than that of the same name. `name_of`: an argument in words; by default its number.
FASTNP_API void check_named_sizes(std::span<const Argument> call, const NamedSizes& named, const std::function<std::string(int)>& name_of = {});

/// Arrays that a call gave, in memory that the thread keeps for the next one's.
class FASTNP_API Results {
public:
    Results() noexcept;
    ~Results();
    Results(const Results&) = delete;
    Results& operator=(const Results&) = delete;

    std::vector<array> arrays;
};

struct Entry;
class Direct;

/// The untyped core of a compiled function, shared by the C++ and Python front ends: guards, cache, plans.
class FASTNP_API Engine {
public:
    explicit Engine(CompileOptions options);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    /// The user's function, as a front end knows it, for the duration of a call.
    class Callee {
    public:
        Callee() = default;
        Callee(const Callee&) = delete;
        Callee& operator=(const Callee&) = delete;
        /// Calls it on arrays that stand for the arguments; returns its array results in order.
        virtual std::vector<array> record(std::span<const array> parameters) = 0;
        /// What was recorded computes values, or elements, that no result depends on: they are left out, with the floating-point errors that
        /// they may have.
        virtual void note_left_out();
        /// After a recording that became an entry: what the front end keeps with it (the rest of the result: structure, plain values).
        virtual std::shared_ptr<const void> keep() = 0;
        /// Makes a call that the recording noted (call_outside), by its number: while an entry runs with which `kept` was kept. Once a call of the
        /// compiled function: entries that are tried after another stopped, and recordings, are given what it gave before. `is_last`: once it is made, the
        /// function will not have to be run as written, unless it gives something of another kind than ever. Nothing: it raised.
        virtual std::optional<Given> make_call(const void* kept, int number, std::span<const array> operands, bool is_last);
        /// A text for the function, all that it reads besides the arguments, and the call's key, the same in every process: recordings are kept on disk
        /// under it. Empty: they are not.
        virtual std::string identity();
        /// What keep() gave, as bytes for restore() in another process. Nothing: it is of this one alone.
        virtual std::optional<std::string> pack(const void* kept);
        /// What keep() gave in the process that packed it, for this one. Null: there is no such thing.
        virtual std::shared_ptr<const void> restore(std::string_view packed);
        /// How long a recording may get.
        struct Limits {
            std::size_t steps = 20'000;
            std::size_t reads = 1000;  // of values
        };
        virtual Limits limits() const;
        /// The named sizes of this call, by position among its arguments; a front end that gives them has checked them. Null: those of the options.
        virtual const NamedSizes* named_sizes() const;
        /// Whether it can do with a part of the function what can't be done with the whole: a recording that ends early then tells it where.
        virtual bool goes_in_parts() const;
        /// Whether one more entry that differs from so many others in the values it reads is worth what it costs; else the call runs as written.
        virtual bool affords_course(std::size_t courses) const;
        /// What the last recording is good for: its entry for other calls than this one (not if `once`), and the function for being recorded again (if
        /// `given_up` says why not, calls that have no entry run as written from now on).
        struct Use {
            bool once = false;
            std::string given_up = {};
        };
        virtual Use use() const;
        /// Memory that a run of an entry is about to write to, on the host, for a front end that may have the call done over as written.
        /// Unless `is_all`, it writes to memory on a device, too.
        virtual void will_write(std::span<const std::span<std::byte>> memory, bool is_all);
        /// Does `body`, which waits for another thread. What that thread may need, and this one has (Python's lock), is given up meanwhile.
        virtual void wait(const std::function<void()>& body);

    protected:
        ~Callee() = default;
    };

    enum class Outcome : std::uint8_t { ran, uncompiled };
    struct Result {
        Outcome outcome;
        std::shared_ptr<const void> kept;  // ran: what the front end keeps with the entry that served
        std::string refused;  // uncompiled because a limit is reached: which, and why
        const Entry* entry = nullptr;  // ran: that entry, which `kept` keeps
    };

    /// Serves one call. `key` is everything else the call depends on (structure, plain values), compared byte by byte. Results are put into
    /// `results`. `uncompiled`: nothing was done; the caller runs the function as written. Unless `may_compile`, nothing new is compiled. Thread-safe.
    Result call(std::span<const Argument> arguments, std::string_view key, Callee& callee, bool may_compile, std::vector<array>& results);

    /// A call like the last one of this thread, where that was of kernels alone: what the front end keeps with the entry that served. Null: it is
    /// another one, and nothing was done.
    std::shared_ptr<const void> call_like_last(std::span<const Argument> arguments, std::string_view key, std::vector<array>& results);
    /// Whether there was such a call.
    bool knows_last_call() const;

    /// Counts a call that was served by it (direct.h).
    void count(const Direct& served);

    CacheInfo cache_info() const;
    void clear();
    /// Entries with everything explain() shows; generated code as text is made on request (`with_code`).
    std::vector<EntryInfo> entries(bool with_code = false) const;
    /// The last misses.
    std::vector<MissInfo> misses() const;
    const CompileOptions& options() const;
    /// The folder that it was written to last (set_debug_folder), or empty.
    std::string debug_folder() const;

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace detail
}  // namespace fastnp

#include "fastnp/detail/compiled.h"
