// Calls that find no entry: recorded, compiled, and kept, where there is room.
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <map>
#include <mutex>

#include "api/engine_state.h"
#include "api/graph_state.h"
#include "api/logs.h"
#include "base/background.h"
#include "codegen/store.h"
#include "compile/backends.h"
#include "device/movable.h"
#include "fastnp/detail/ahead.h"
#include "fastnp/detail/compiling_time.h"
#include "fastnp/detail/log.h"
#include "fastnp/detail/progress.h"
#include "fastnp/error.h"

namespace fastnp::detail {

namespace {

constexpr std::size_t most_paths = 16;      // entries that differ in the values they read, before calls run as written
constexpr std::size_t most_branches = 256;  // that differ in yes or no alone: the turns of loops, say
constexpr std::size_t most_steps = 30000;   // of the plans of such entries, about 50 MB
constexpr std::size_t most_misses = 64;     // that are remembered
constexpr auto longest_wait = std::chrono::seconds(10);  // for another thread's recording

// The first line in which two texts differ.
std::string difference(std::string_view before, std::string_view now) {
    while (!before.empty() || !now.empty()) {
        const std::string_view a = before.substr(0, before.find('\n')), b = now.substr(0, now.find('\n'));
        if (a != b) return "'" + std::string(a) + "' was recorded, now it is '" + std::string(b) + "'";
        before.remove_prefix(std::min(before.size(), a.size() + 1));
        now.remove_prefix(std::min(now.size(), b.size() + 1));
    }
    return {};
}

// Where the function is, if that is told.
ir::Location place_of_function(const CompileOptions& options) {
    const std::size_t colon = options.place.rfind(':');
    int line = 0;
    if (colon == std::string::npos) return {};
    const char* const end = options.place.data() + options.place.size();
    const auto [read, error] = std::from_chars(options.place.data() + colon + 1, end, line);
    return error == std::errc{} && read == end ? ir::location_of(options.place.substr(0, colon), line, options.name) : ir::Location();
}

// Arguments in words: "float64[3, 4], strides (32, 8), on cpu".
std::vector<std::string> descriptions(std::span<const Argument> call) {
    std::vector<std::string> lines;
    for (const Argument& argument : call) {
        std::string shape, strides;
        for (int i = 0; i < argument.rank; ++i) {
            shape += (i == 0 ? "" : ", ") + std::to_string(argument.shape[i]);
            strides += (i == 0 ? "" : ", ") + std::to_string(argument.strides[i]);
        }
        const device::Backend* const home = device::home_of(argument.buffer, argument.data);
        lines.push_back(std::string(name_of(argument.dtype)) + "[" + shape + "], strides (" + strides + "), on " +
                        (home == nullptr ? "cpu" : home->name()) + (argument.writable ? "" : ", read-only"));
    }
    return lines;
}

}  // namespace

// A turn at recording. A thread that holds another function's waits for none: the two could wait for each other. Nor does anyone wait for ever: what is
// recorded is the user's code, and may itself wait for a thread that comes here. A call without a turn runs as written.
class Engine::State::Turn {
public:
    Turn(const State& state, Callee& callee) : lock_(state.compiling) {
        has_it_ = lock_.try_lock();
        if (!has_it_ && held() == 0) callee.wait([&] { has_it_ = lock_.lock_within(longest_wait); });
        held() += has_it_ ? 1 : 0;
    }
    ~Turn() {
        if (!has_it_) return;
        --held();
        lock_.unlock();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    explicit operator bool() const { return has_it_; }

private:
    static int& held() {
        thread_local int count = 0;
        return count;
    }
    base::TurnLock& lock_;
    bool has_it_ = false;
};

EntryPtr Engine::State::add(const std::shared_ptr<Entry>& entry) {
    const std::unique_lock lock(mutex);
    entry->made_at = clock();
    // The widest first: a generalised entry is the one that later calls will want.
    entries.insert(entries.begin(), entry);
    return entry;
}

void Engine::State::give_up(const std::string& why) {
    if (options.fullgraph) throw RecordError(options.name + " " + why);
    const std::unique_lock lock(mutex);
    given_up = why;
}

std::string Engine::State::why_given_up() const {
    const std::shared_lock lock(mutex);
    return given_up;
}

// An entry of no call: this one runs as written.
EntryPtr Engine::State::refuse(std::string reason) {
    auto entry = std::make_shared<Entry>();
    entry->uncompiled = std::move(reason);
    return entry;
}

// Why there is no entry for this call, and which sizes should vary from now on.
MissInfo Engine::State::explain_miss(std::span<const Argument> call, std::string_view key, const device::Backend* device,
                                     std::vector<std::pair<int, int>>& dynamic) const {
    const std::shared_lock lock(mutex);
    MissInfo miss{"first call", "", 0};
    const auto name_of = [](const device::Backend* each) { return each == nullptr ? std::string("cpu") : each->name(); };
    bool first = true;  // of this device
    for (const EntryPtr& entry : entries) {
        if (entry->device != device) {
            if (first) miss = {"device changed from " + name_of(entry->device) + " to " + name_of(device), "", 0};
            continue;
        }
        std::vector<std::pair<int, int>> differing;
        const bool sizes_alone = entry->signature.same_but_sizes(call, key, differing);
        dynamic.insert(dynamic.end(), differing.begin(), differing.end());
        if (first || sizes_alone) miss = entry->signature.mismatch(call, key);
        first = false;
    }
    return miss;
}

void Engine::State::note_miss(MissInfo miss, double milliseconds) {
    miss.milliseconds = milliseconds;
    const std::unique_lock lock(mutex);
    seen_misses.push_back(std::move(miss));
    if (seen_misses.size() > most_misses) seen_misses.pop_front();
}

// The entries that fit a call but for the values that they read.
std::vector<EntryPtr> Engine::State::courses(std::span<const Argument> call, std::string_view key, const device::Backend* device) const {
    std::array<std::int64_t, most_values> symbols;
    std::vector<EntryPtr> found;
    const std::shared_lock lock(mutex);
    std::copy_if(entries.begin(), entries.end(), std::back_inserter(found), [&](const EntryPtr& entry) {
        return entry->device == device && !entry->reads.empty() && entry->signature.symbols.size() <= most_values &&
               entry->signature.matches(call, key, symbols.data());
    });
    return found;
}

// Whether something that was last called and made then may go. If it was of little use, the next one is waited for twice as long.
bool Engine::State::is_idle(std::uint64_t last_call, std::uint64_t made_at) {
    if (clock() - last_call < patience) return false;
    patience = last_call - made_at < least_patience ? std::min(patience * 2, most_patience) : least_patience;
    return true;
}

// Room for one more course of a kind of call, beside those that there are.
bool Engine::State::make_room_for_course(const std::vector<EntryPtr>& courses, const std::vector<trace::Found>& known) {
    const bool at_branch = !known.empty() && !known.back().called && known.back().value.kind() == WeakKind::boolean;
    if (!at_branch) return courses.size() < most_paths;
    std::size_t steps = 0;
    for (const EntryPtr& entry : courses) steps += entry->plan.steps.size();
    if (courses.size() < most_branches && steps < most_steps) return true;
    const auto last_call = [](const EntryPtr& entry) { return entry->last_call.load(std::memory_order_relaxed); };
    const EntryPtr oldest =
        *std::min_element(courses.begin(), courses.end(), [&](const EntryPtr& a, const EntryPtr& b) { return last_call(a) < last_call(b); });
    if (!is_idle(last_call(oldest), oldest->made_at)) return false;
    const std::unique_lock lock(mutex);  // `oldest` lives on until after it
    std::erase(entries, oldest);
    return true;
}

// Room for an entry of a new kind of call. What was not called for longest goes, but with OnLimit::generalise not before it has been idle for a while:
// where more kinds of calls alternate than there is room for, each would be compiled again and again. If what goes was of little use, the wait doubles.
bool Engine::State::make_room(const std::string& reason) {
    std::vector<EntryPtr> dropped;  // let go after the lock: what front ends keep with them may have locks of its own
    const std::unique_lock lock(mutex);
    std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> groups;  // (last call, made)
    for (const EntryPtr& entry : entries) {
        auto& [last, made] = groups.try_emplace(entry->group, 0, entry->made_at).first->second;
        last = std::max(last, entry->last_call.load(std::memory_order_relaxed));
        made = std::min(made, entry->made_at);
    }
    if (groups.size() < options.cache_size_limit) return true;
    if (options.on_limit == OnLimit::error) {
        throw CacheLimitError(options.name + " has " + std::to_string(options.cache_size_limit) +
                              " compiled entries (cache_size_limit); a call needs another: " + reason);
    }
    if (options.on_limit == OnLimit::eager) return false;
    const auto longest = std::min_element(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
    const auto [last, made] = longest->second;
    if (options.on_limit == OnLimit::generalise && !is_idle(last, made)) return false;
    const auto gone = std::stable_partition(entries.begin(), entries.end(), [&](const EntryPtr& entry) { return entry->group != longest->first; });
    dropped.assign(std::make_move_iterator(gone), std::make_move_iterator(entries.end()));
    entries.erase(gone, entries.end());
    return true;
}

// Whether another process left a recording for this call; then the entry is made from it.
bool Engine::State::take_stored(Entry& entry, const std::string& name, std::span<const Argument> call, std::string_view key, Callee& callee,
                                const std::vector<trace::Found>& known) const {
    const auto bytes = name.empty() ? std::nullopt : codegen::load_bytes(name);
    auto recording = bytes ? unpack_recording(*bytes) : std::nullopt;
    if (!recording) return false;
    entry.kept = callee.restore(recording->second);
    if (!entry.kept) return false;
    entry.compile(std::move(recording->first), call, options);
    std::array<std::int64_t, most_values> values;
    return entry.serves(call, key, known, values.data());
}

// Records the call, and leaves the recording for other processes. Whether the entry has its code now.
bool Engine::State::record(const std::shared_ptr<Entry>& entry, const std::string& name, std::span<const Argument> call, Callee& callee,
                           const std::vector<trace::Found>& known) {
    Recording recording = record_call(entry->signature, call, callee, known, std::size_t(-1), place_of_function(options));
    entry->kept = callee.keep();
    const Callee::Use use = callee.use();
    entry->once = use.once;
    if (!use.given_up.empty()) give_up(use.given_up);
    CompileOptions own = options;
    if (use.once) own.backend = compiler::for_one_run(own.backend);
    if (options.verify != 0) entry->recorded = recording.graph.text({.sizes = false});  // whatever sizes are at hand
    if (entry->keeps_passes) entry->passes.push_back({"recorded", recording.graph.text()});
    Ahead* const ahead = Ahead::current();
    if (ahead != nullptr) ahead->graph = shown_text(recording.graph);
    compiler::prepare(recording.graph, own.backend, {recording.times, entry->keeps_passes ? &entry->passes : nullptr});
    write_debug(*entry);  // code generation may be what goes wrong
    const auto kept = name.empty() ? std::nullopt : callee.pack(entry->kept.get());
    auto packed = kept ? pack(recording, *kept) : std::nullopt;
    entry->take(recording, call);
    if (compiler::users_backend(own.backend)) recording.examples = examples_of(call, entry->captured);
    const auto store = [name, packed = std::move(packed)] {
        if (packed) codegen::store_bytes(name, *packed);
    };
    const bool waits = !options.background || ahead != nullptr || use.once || entry->device != nullptr || !recording.examples.empty();
    if (!waits) {
        compile_later(entry, std::move(recording), own, store);
        return false;
    }
    entry->make_code(std::move(recording), own);
    store();
    return true;
}

// Calls run as written until it is done.
void Engine::State::compile_later(const std::shared_ptr<Entry>& entry, Recording recording, const CompileOptions& own, std::function<void()> store) {
    {
        const std::unique_lock lock(mutex);
        pending.push_back({entry});
    }
    auto made = std::make_shared<Recording>(std::move(recording));
    base::in_background([state = weak_from_this(), entry, made, own, store = std::move(store)] {
        const LogScope scope(own.name);
        try {
            entry->make_code(std::move(*made), own);
            store();
        } catch (const std::exception& error) {
            entry->uncompiled = error.what();
            entry->signature.any_layout = true;
            entry->plan = {};
        }
        if (const auto held = state.lock()) held->take_compiled(entry);
    });
}

// Into the debug folder, if one is set: code as far as there is any.
void Engine::State::write_debug(Entry& entry) {
    if (is_debugging()) entry.debug_folder = folder.write(entry.info(true), options, entry.debug_folder);
}

void Engine::State::take_compiled(const std::shared_ptr<Entry>& entry) {
    {
        const std::unique_lock lock(mutex);
        if (std::erase_if(pending, [&](const Pending& each) { return each.entry == entry; }) == 0) return;  // all was cleared meanwhile
    }
    if (entry->uncompiled.empty()) ++compiles;
    write_debug(*entry);
    (void)add(entry);
}

// Whether the code for such calls is being made.
bool Engine::State::is_pending(std::span<const Argument> call, std::string_view key, const device::Backend* device) {
    std::array<std::int64_t, most_values> symbols;
    std::vector<Pending> dropped;  // as in make_room
    const std::unique_lock lock(mutex);
    const auto lost = std::stable_partition(pending.begin(), pending.end(), [](const Pending& each) { return each.forks == base::fork_count(); });
    dropped.assign(std::make_move_iterator(lost), std::make_move_iterator(pending.end()));
    pending.erase(lost, pending.end());
    return std::ranges::any_of(pending, [&](const Pending& each) {
        const compiler::Signature& signature = each.entry->signature;
        return each.entry->device == device && signature.symbols.size() <= most_values && signature.matches(call, key, symbols.data());
    });
}

EntryPtr Engine::State::specialise(std::span<const Argument> call, std::string_view key, device::Backend* device, Callee& callee,
                                   const std::vector<trace::Found>& known, bool& refused) {
    const NamedSizes* const named = callee.named_sizes();
    if (named == nullptr) check_named_sizes(call, options.dynamic);
    std::vector<std::pair<int, int>> dynamic;
    MissInfo miss = explain_miss(call, key, device, dynamic);
    if (!known.empty()) miss = {"value " + std::to_string(known.size() - 1) + " that it reads is another one", "", 0};
    if (options.sizes == DynamicSizes::never) dynamic.clear();
    const std::vector<EntryPtr> siblings = courses(call, key, device);
    if (!siblings.empty() && !callee.affords_course(siblings.size())) return refuse("another course costs more than it is likely to save");
    refused = siblings.empty() ? !make_room(miss.reason) : !make_room_for_course(siblings, known);
    if (refused) {
        if (!siblings.empty()) {
            show_read(call, key, callee, known);
            return refuse("reads values that differ from call to call");
        }
        if (tells(Channel::recompiles)) tell(Channel::recompiles, "runs as written, as there are too many entries: " + miss.reason);
        return refuse("cache_size_limit (" + std::to_string(options.cache_size_limit) + ") is reached: " + miss.reason);
    }
    const std::uint32_t group = siblings.empty() ? next_group++ : siblings.front()->group;
    std::shared_ptr<Entry> entry;
    const auto begin = [&] {
        entry = std::make_shared<Entry>();
        entry->reason = miss.reason;
        entry->signature = compiler::describe(call, key, dynamic, options.sizes, named != nullptr ? *named : options.dynamic);
        entry->group = group;
        entry->device = device;
        entry->keeps_passes = keeps_passes();
        if (entry->keeps_passes) entry->inputs = descriptions(call);
    };
    begin();
    double milliseconds = 0;
    try {
        std::string name;
        if (codegen::keeps_files() && options.verify == 0) name = recording_name(callee.identity(), options.backend, entry->signature, call, known);
        if (is_debugging() || !take_stored(*entry, name, call, key, callee, known)) {
            begin();
            if (!record(entry, name, call, callee, known)) {
                note_miss(std::move(miss), milliseconds);
                return refuse("its machine code is being made");
            }
        }
        for (const auto& [phase, spent] : entry->times) milliseconds += spent;
        ++compiles;
    } catch (const RecordError& error) {
        if (options.fullgraph || Ahead::current() != nullptr) throw;  // with values it may go on
        entry->uncompiled = error.what();
        entry->signature.any_layout = true;
        entry->plan = {};
    }
    if (log_channels.load(std::memory_order_relaxed) != 0) tell_of(*entry, miss, milliseconds, !callee.goes_in_parts());
    write_debug(*entry);
    note_miss(std::move(miss), milliseconds);
    return entry->once ? entry : add(entry);
}

// Shows the front end, once, which read it is that has too many values: a recording ends there.
void Engine::State::show_read(std::span<const Argument> call, std::string_view key, Callee& callee, const std::vector<trace::Found>& known) {
    if (known.empty() || has_shown_read || !callee.goes_in_parts()) return;
    has_shown_read = true;
    const NamedSizes* const named = callee.named_sizes();
    try {
        (void)record_call(compiler::describe(call, key, {}, options.sizes, named != nullptr ? *named : options.dynamic), call, callee, known,
                          known.size() - 1);
    } catch (const RecordError&) {
        return;  // as it should
    }
}

// The entry for a call that found none, as far as is known of what it reads: by now another thread may have made one.
EntryPtr Engine::State::make(std::span<const Argument> call, std::string_view key, device::Backend* device, Callee& callee,
                             const std::vector<trace::Found>& known, std::int64_t* values, int& made, bool& refused) {
    const Turn turn(*this, callee);
    if (!turn) return refuse("another thread is compiling it");
    EntryPtr entry = match(call, key, device, values, known);
    if (entry) return entry;
    if (std::string why = why_given_up(); !why.empty()) return refuse(std::move(why));
    if (options.background && is_pending(call, key, device)) return refuse("its machine code is being made");
    ++made;
    misses.fetch_add(1, std::memory_order_relaxed);
    const CompilingTime compiling;
    const LogScope scope(options.name);
    const Progress progress(shows_progress() ? "compiling " + options.name : std::string());
    entry = specialise(call, key, device, callee, known, refused);
    if (refused) return entry;
    note_call(*entry, clock());
    if (entry->once && entry->serves(call, key, known, values)) return entry;
    const EntryPtr found = match(call, key, device, values, known);
    if (found != entry && entry->uncompiled.empty()) throw InternalError("a new entry does not fit the call that it was made for");
    return entry;
}

// Records the call once more and compares: a function that depends on something that is not guarded would give another graph.
void Engine::State::verify(const Entry& entry, std::span<const Argument> call, Callee& callee) const {
    const Turn turn(*this, callee);
    if (!turn) return;
    std::vector<trace::Found> known;  // the same course, though what it read may be overwritten by now
    for (const trace::Read& read : entry.reads) known.push_back({read.value, nullptr});
    std::string now;
    try {
        now = record_call(entry.signature, call, callee, known).graph.text({.sizes = false});
    } catch (const RecordError& error) {
        throw VerifyError(options.name + " was compiled, and can't be recorded any more: " + error.what());
    }
    const std::string differs = difference(entry.recorded, now);
    if (!differs.empty()) throw VerifyError(options.name + " depends on something besides its arguments that changed since it was compiled: " + differs);
}

}  // namespace fastnp::detail
