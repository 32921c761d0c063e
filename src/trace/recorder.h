// A recording in progress: ops on recorded arrays become nodes of its graph. One per thread at a time (the innermost).
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "device/memory.h"
#include "fastnp/error.h"
#include "ir/graph.h"
#include "trace/called.h"
#include "trace/evaluate.h"
#include "trace/here.h"
#include "trace/storage.h"
#include "trace/turns.h"
#include "trace/watched.h"

namespace fastnp::device {
class Backend;
}

namespace fastnp::trace {

/// A value that a recording read, or a call that it made.
struct Read {
    Scalar value;
    int bound = 0;  // the number of the size (Sizes::bound_symbol) that it is the value of; 0: it is taken for granted
    int call = -1;  // its number
};

/// What a call of the compiled function found at a read.
struct Found {
    Scalar value;
    CalledPtr called;  // of a call
};

class Recorder : public std::enable_shared_from_this<Recorder> {
public:
    Recorder();
    virtual ~Recorder() = default;
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;
    ir::Graph& graph() { return graph_; }

    /// A value for memory met while recording that is no argument: an extra parameter, read anew at each call. The same memory and
    /// layout gives the same value.
    ir::Value capture(const device::Memory& memory);
    /// The memory of a parameter, the same at each call; of captured memory that this recording made: memory that each call has anew.
    StoragePtr storage_of(ir::Value parameter);
    /// Notes memory that is made while recording.
    void note_made(const device::Memory& memory) { made_.insert(memory.buffer); }
    /// The captured memories, in the order of their parameters, which come after the arguments'.
    const std::vector<device::Memory>& captured() const { return captured_; }
    const std::vector<ir::Value>& captured_values() const { return captured_values_; }
    /// Whether these are all memories that this recording made.
    bool made_all_captured() const;

    /// What is recorded from here on is of the line that the user's program is at, unless an OfLine says another one (here.h).
    void note_line() {
        if (held_line_ || once_) return;  // who runs one once asks for no lines
        graph_.at(here(place_));
    }
    /// Where the recorded function is: for what has no line of its own.
    void set_place(ir::Location place) {
        place_ = place;
        graph_.at(place);
    }
    /// While it lives, what is recorded is of the line of a value, if that is known: what a transform makes of it.
    class OfLine {
    public:
        OfLine(Recorder& recorder, ir::Value value)
            : recorder_(recorder), at_(recorder.graph_, value->where ? value->where : recorder.held_line_), before_(recorder.held_line_) {
            if (value->where) recorder.held_line_ = value->where;
        }
        ~OfLine() { recorder_.held_line_ = before_; }
        OfLine(const OfLine&) = delete;
        OfLine& operator=(const OfLine&) = delete;

    private:
        Recorder& recorder_;
        ir::At at_;
        ir::Location before_;
    };

    /// Notes a value that is computed whether needed or not, in this order: one that may raise an error, or a write into a parameter's memory.
    void effect(ir::Value value);
    template <class Predicate>
    void drop_effects(Predicate drops) {
        std::erase_if(effects_, drops);
    }
    /// The first ones alone.
    void keep_effects(std::size_t count) { effects_.resize(count); }
    const std::vector<ir::Value>& effects() const { return effects_; }

    /// Lets the recording read values: the arguments' memory at hand, and what the first reads are known to give.
    void set_arguments(std::vector<device::Memory> arguments, std::vector<Found> known);
    /// The device that what is recorded is for; null: the host, or it is not known.
    void set_home(const device::Backend* home) { home_ = home; }
    const device::Backend* home() const { return home_; }
    /// Lets it read values that no later call depends on: it is run once, now. Nothing is taken for granted then.
    void set_once() { once_ = can_read_ = true; }
    bool is_once() const { return once_; }
    /// Of one that is run once, but later: has it keep copies of captured memory, which may change until then. What has a value is not written to it.
    void set_snapshots() { snapshots_ = true; }
    /// Memory that others own is read as it is now (watched.h), though the recording is run later.
    void set_watching() { watches_ = true; }
    /// Before it is run: RecordError if memory that is watched was written to; what the recording itself writes to is the memory, no copy.
    void check_watched();
    /// Whoever owns memory that is watched may have written to it: the storage has what lies there now.
    void refresh(Storage& storage);
    /// There are values that stand for many.
    void note_example() { maps_ = true; }
    /// The parameter stands for what is given to a second stage: values that depend on it can't be looked at.
    void note_later(ir::Value parameter) { later_.push_back(parameter); }
    /// What a value is found to be.
    void know(ir::Value value, device::Memory memory) { evaluator_.set(value, std::move(memory)); }
    /// The elements of a value as they are in this call: of a recording that is run once, or for what each call checks again.
    device::Memory value_now(ir::Value value) { return evaluate(value); }
    /// The recording ends, with a LongRecordError, when it gets longer than that, and at the read with the number `stop_at`.
    void set_limits(std::size_t steps, std::size_t reads, std::size_t stop_at);
    void check_steps();
    /// Raises what ends the recording. It is over also where the function catches that: it would go on otherwise than as written.
    template <class E>
    [[noreturn]] void refuse(const E& error) {
        if (!refusal_) refusal_ = std::make_exception_ptr(error);
        throw error;
    }
    /// What `work` gives; a RecordError of it ends the recording likewise.
    template <class F>
    auto or_refuse(F&& work) {
        try {
            return work();
        } catch (const RecordError&) {
            if (!refusal_) refusal_ = std::current_exception();
            throw;
        }
    }
    /// What `work` on values gives. What else it raises depends on them: a function that catches that is recorded as it goes for these values alone, which
    /// ends the recording likewise. (One that is run once may.)
    template <class F>
    auto or_refuse_for_values(std::string_view what, F&& work) {
        try {
            return or_refuse(work);
        } catch (...) {
            if (!refusal_ && !once_)
                refusal_ = std::make_exception_ptr(RecordError("catches an error of " + std::string(what) + ", which depends on values"));
            throw;
        }
    }
    /// Raises it again, if there was one.
    void check_refusal() const {
        if (refusal_) std::rethrow_exception(refusal_);
    }
    /// The single element of a value of one element, from here on taken for granted: the compiled entry is for calls in which it is the same (its bits,
    /// NaNs and signs of zeros included). RecordError where the recording can't read.
    Scalar read(ir::Value value);
    /// The single integer of a value, which lies from `low` to `high`, as a size that varies from call to call. RecordError where the recording can't
    /// read.
    shape::Dim bind(ir::Value value, std::int64_t low, std::int64_t high);
    /// Calls a function of the outside: `make` is given the operands' memory, as it is in this call, and gives what the function gave. RecordError where
    /// the recording can't read.
    std::vector<ir::Value> call(const std::string& name, std::span<const ir::Value> operands,
                                const std::function<Called(std::span<const device::Memory>)>& make);
    /// What was recorded for branches.
    Kept& kept_in_branches() { return kept_in_branches_; }
    /// What was read, in order.
    const std::vector<Read>& reads() const { return reads_; }

    /// Writes into a storage as trace::write does.
    void write(Storage& storage, ir::Value view, ir::Value value);
    /// Whether effects write to this memory, or a part of it.
    bool is_stored_to(const device::Memory& memory) const;
    /// The parameters whose memory was written to.
    std::vector<int> written() const;

    /// Handles of its values that are made from now on are noted.
    void watch_handles() { watches_handles_ = true; }
    bool watches_handles() const { return watches_handles_; }
    void note_handle(std::weak_ptr<void> handle) { handles_.push_back(std::move(handle)); }
    const std::vector<std::weak_ptr<void>>& handles() const { return handles_; }
    /// Lets go what transforms needed.
    void forget_kept() { kept_.clear(); }

    /// Keeps what transforms of this recording need, until it ends; gives its number.
    std::size_t keep(std::shared_ptr<const void> object) {
        kept_.push_back(std::move(object));
        return kept_.size() - 1;
    }
    const void* kept(std::size_t number) const { return kept_[number].get(); }
    /// That is kept while this lives: it may hold arrays, which hold the recording.
    class Keeping {
    public:
        explicit Keeping(Recorder& recorder) : recorder_(recorder) {}
        ~Keeping() { recorder_.forget_kept(); }
        Keeping(const Keeping&) = delete;
        Keeping& operator=(const Keeping&) = delete;

    private:
        Recorder& recorder_;
    };

    /// RecordError for an op or a function that recordings are to end at (see disallow).
    void check_allowed(std::string_view name);
    /// Has recordings that begin from now on end at these: names of ops and functions, or patterns as fnmatch's. Counted: each disallow takes an allow.
    static void disallow(const std::vector<std::string>& names);
    static void allow(const std::vector<std::string>& names);
    /// Whether there are any.
    static bool disallows();

    /// The recording that this thread is in, or null.
    static Recorder* active();

    /// Writes to watched memory, which others read, are made at once; while this lives, when the recording is run: those that transforms make after
    /// their functions have ended.
    class LateWrites {
    public:
        explicit LateWrites(Recorder& recorder) : recorder_(recorder), before_(std::exchange(recorder.writes_late_, true)) {}
        ~LateWrites() { recorder_.writes_late_ = before_; }
        LateWrites(const LateWrites&) = delete;
        LateWrites& operator=(const LateWrites&) = delete;

    private:
        Recorder& recorder_;
        bool before_;
    };

    /// Makes a recording the active one of this thread while it lives; null: ops run at once meanwhile.
    class Scope {
    public:
        explicit Scope(std::shared_ptr<Recorder> recorder);
        ~Scope();
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        std::shared_ptr<Recorder> recorder_;
        Recorder* previous_;
    };

private:
    ir::Value take_snapshot(const device::Memory& memory);
    ir::Value capture_watched(const device::Memory& memory);
    int number_watched(ir::Value parameter) const;
    bool writes_at_once(const Storage& storage) const;
    void check_known(ir::Value value);
    void store_watched(Storage& storage);
    void keep_seen(const device::Memory& memory);
    bool stands_for_many(ir::Value value) const;
    ir::Value add_captured(const device::Memory& memory);
    std::optional<ir::Value> take_snapshot_at_home(const device::Memory& memory);
    ir::Value keep_snapshot(const device::Memory& memory, device::Memory copy, std::optional<std::uint64_t> version);
    void check_reads();
    device::Memory evaluate(ir::Value value);
    Scalar look(ir::Value value);
    shape::Dims sizes_like(const Shape& shape, std::span<const ir::Value> operands);
    void note_read(ir::Op op, ir::Value value, ir::Attributes attributes, Read read);

    ir::Graph graph_;
    std::vector<device::Memory> captured_;
    std::vector<ir::Value> captured_values_, effects_;
    Kept kept_in_branches_;
    std::unordered_map<ir::Value, StoragePtr> storages_;  // by parameter
    std::unordered_set<device::BufferPtr> made_;  // held, so that no other memory takes such an address
    Evaluator evaluator_;
    std::vector<ir::Value> later_;  // parameters
    bool can_read_ = false, once_ = false, snapshots_ = false, watches_ = false, maps_ = false, writes_late_ = false;
    std::vector<Watched> watched_;
    std::vector<device::Memory> sources_;  // of snapshots
    std::vector<std::optional<std::uint64_t>> versions_;  // of those that lie on a device
    const device::Backend* home_ = nullptr;
    std::vector<Found> known_reads_;
    std::size_t most_steps_ = std::size_t(-1), most_reads_ = std::size_t(-1), stop_at_ = std::size_t(-1);
    std::vector<Read> reads_;
    std::unordered_map<ir::Value, shape::Dim> bound_;
    std::vector<std::string> disallowed_;
    std::exception_ptr refusal_;
    ir::Location place_, held_line_;
    std::vector<std::shared_ptr<const void>> kept_;
    bool watches_handles_ = false;
    std::vector<std::weak_ptr<void>> handles_;
};

}  // namespace fastnp::trace
