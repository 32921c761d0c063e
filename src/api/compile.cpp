// detail::Engine: a compiled function's entries, and the way of a call through them. A hit is: find the entry, run its plan, wrap.
#include "fastnp/compile.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>

#include "api/engine_state.h"
#include "api/logs.h"
#include "base/kept.h"
#include "compile/backends.h"
#include "device/caller.h"
#include "device/range.h"
#include "fastnp/detail/ahead.h"
#include "fastnp/detail/direct.h"
#include "fastnp/error.h"

namespace fastnp::detail {

namespace {

constexpr int most_retries = 3;             // compilations in one call: the compiled sums that a read compares may differ from the recording's

// Graphs for back ends of users have numbers for sizes.
void take_fixed_sizes(CompileOptions& options) {
    if (!options.dynamic.empty() || options.sizes == DynamicSizes::always) {
        throw ValueError("backend '" + options.backend + "' takes graphs of fixed sizes: they can't be dynamic");
    }
    options.sizes = DynamicSizes::never;
}

}  // namespace

// The entry for a call in which reads gave `known` so far, with the values of its sizes. Without any it is the one that is thought likeliest; else the one
// that goes furthest, so that it ends where the call's own course is known: two more runs are the most that a loop of another number of turns takes.
EntryPtr Engine::State::match(std::span<const Argument> call, std::string_view key, const device::Backend* device, std::int64_t* values,
                              const std::vector<trace::Found>& known) const {
    const std::shared_lock lock(mutex);
    const EntryPtr* best = nullptr;
    for (const EntryPtr& entry : entries) {
        if (entry->device != device || !entry->serves(call, key, known, values)) continue;
        if (known.empty() || !entry->uncompiled.empty()) return entry;
        if (best == nullptr || entry->reads.size() > (*best)->reads.size()) best = &entry;
    }
    if (best == nullptr) return nullptr;
    (void)(*best)->serves(call, key, known, values);  // `values` are another's by now
    return *best;
}

// Of the courses of a kind of call, this one is tried first from now on; unless others are at it, whom it is not worth to wait for.
void Engine::State::prefer(const EntryPtr& entry) {
    const std::unique_lock lock(mutex, std::try_to_lock);
    if (!lock) return;
    const auto first = std::find_if(entries.begin(), entries.end(), [&](const EntryPtr& each) { return each->group == entry->group; });
    const auto here = std::find(first, entries.end(), entry);
    if (here != entries.end()) std::rotate(first, here, here + 1);
}

Engine::Engine(CompileOptions options) : state_(std::make_shared<State>()) {
    set_logs_by_environment();
    set_debug_folder_by_environment();
    options.backend = compiler::full_name(options.backend);
    if (compiler::users_backend(options.backend)) take_fixed_sizes(options);
    options.dynamic = unified(std::move(options.dynamic));
    if (options.cache_size_limit == 0) throw ValueError("cache_size_limit must be at least 1");
    state_->caller = device::Caller::named(options.place.empty() ? options.name : options.name + " (" + options.place + ")");
    state_->options = std::move(options);
}

Engine::~Engine() = default;

Results::Results() noexcept : arrays(base::Kept<array>::take()) {}
Results::~Results() { base::Kept<array>::give_back(std::move(arrays)); }

static Engine::Result ran(EntryPtr entry) {
    const Entry* const served = entry.get();
    return {Engine::Outcome::ran, std::shared_ptr<const void>(std::move(entry), served->kept.get()), {}, served};
}

EntryPtr Engine::State::serve_like_last(std::span<const Argument> call, std::string_view key, std::vector<array>& results) {
    EntryPtr entry = serve_directly(number, call, key, results);
    if (entry) count(*entry);
    return entry;
}

void Engine::State::count(const Entry& served) {
    note_call(served, clock() + 1);
    hits.fetch_add(1, std::memory_order_relaxed);
}

bool Engine::knows_last_call() const { return is_known(state_->number); }

std::shared_ptr<const void> Engine::call_like_last(std::span<const Argument> arguments, std::string_view key, std::vector<array>& results) {
    EntryPtr entry = is_disabled() ? nullptr : state_->serve_like_last(arguments, key, results);
    const void* const kept = entry ? entry->kept.get() : nullptr;
    return {std::move(entry), kept};
}

Engine::Result Engine::call(std::span<const Argument> arguments, std::string_view key, Callee& callee, bool may_compile, std::vector<array>& results) {
    if (is_disabled()) return {Outcome::uncompiled, nullptr, {}, nullptr};
    if (Ahead* const ahead = Ahead::current()) return state_->look_ahead(arguments, key, device_of(arguments), callee, *ahead);
    if (EntryPtr entry = state_->serve_like_last(arguments, key, results)) return ran(std::move(entry));
    device::Backend* const device = device_of(arguments);
    const device::Range range(device, state_->options.name);
    const device::Caller caller(device != nullptr ? state_->caller : nullptr);
    std::array<std::int64_t, most_values> values;
    std::vector<trace::Found> known;  // what reads gave in this call so far
    int made = 0;
    EntryPtr entry, first;  // ... that stopped at a value
    bool done = false, refused = false;
    while (!done && made <= most_retries) {
        entry = state_->match(arguments, key, device, values.data(), known);
        if (entry && known.empty() && entry->rest.takes()) return state_->written({});
        if (entry) {
            State::note_call(*entry, state_->clock() + 1);  // this call is counted at its end
        } else if (may_compile) {
            entry = state_->make(arguments, key, device, callee, known, values.data(), made, refused);
        } else {
            return state_->written({});
        }
        if (!entry->uncompiled.empty()) break;
        const plan::Outcome outcome = entry->run(arguments, values.data(), callee, results);
        if (entry->once && outcome.error) std::rethrow_exception(outcome.error);  // what the function did besides is done
        if (outcome.kind == plan::Outcome::Kind::raised) break;
        done = outcome.kind == plan::Outcome::Kind::done;
        if (done) continue;
        if (known.empty()) first = entry;
        known = entry->found(outcome, values.data());
    }
    if (first && done) first->rest.note_served();
    if (first && refused) first->rest.note_vain();
    if (done && !known.empty()) state_->prefer(entry);
    if (!done) return state_->written(refused ? entry->uncompiled : std::string());
    if (made == 0) {
        const std::uint64_t hit = state_->hits.fetch_add(1, std::memory_order_relaxed) + 1;
        if (state_->options.verify != 0 && hit % state_->options.verify == 0 && may_compile) state_->verify(*entry, arguments, callee);
    }
    if (device == nullptr && state_->options.verify == 0) note_served(state_->number, arguments, key, entry);
    return ran(std::move(entry));
}

void Engine::count(const Direct& served) { state_->count(served.entry()); }

std::optional<Given> Engine::Callee::make_call(const void*, int, std::span<const array>, bool) { throw InternalError("this front end makes no calls"); }

std::string Engine::Callee::identity() { return {}; }
std::optional<std::string> Engine::Callee::pack(const void*) { return std::nullopt; }
std::shared_ptr<const void> Engine::Callee::restore(std::string_view) { return nullptr; }
Engine::Callee::Limits Engine::Callee::limits() const { return {}; }
bool Engine::Callee::goes_in_parts() const { return false; }
bool Engine::Callee::affords_course(std::size_t /*courses*/) const { return true; }
Engine::Callee::Use Engine::Callee::use() const { return {}; }
void Engine::Callee::note_left_out() {}
void Engine::Callee::will_write(std::span<const std::span<std::byte>> /*memory*/, bool /*is_all*/) {}
void Engine::Callee::wait(const std::function<void()>& body) { body(); }
const NamedSizes* Engine::Callee::named_sizes() const { return nullptr; }

CacheInfo Engine::cache_info() const {
    const std::shared_lock lock(state_->mutex);
    return {state_->hits, state_->misses, state_->entries.size(), state_->compiles, state_->uncompiled};
}

void Engine::clear() {
    std::vector<EntryPtr> dropped;  // as in make_room
    const std::unique_lock lock(state_->mutex);
    dropped.swap(state_->entries);
    std::vector<Pending> waiting;
    waiting.swap(state_->pending);
    for (Pending& each : waiting) dropped.push_back(std::move(each.entry));
    state_->seen_misses.clear();
    state_->hits = 0;
    state_->misses = 0;
    state_->compiles = 0;
    state_->uncompiled = 0;
    state_->has_shown_read = false;
    state_->given_up.clear();
}

bool is_disabled() {
    static const bool disabled = [] {
        const char* set = std::getenv("FASTNP_DISABLE");  // NOLINT: nothing here changes the environment
        return set != nullptr && set[0] != 0 && std::string_view(set) != "0";
    }();
    return disabled;
}

const CompileOptions& Engine::options() const { return state_->options; }

std::string Engine::debug_folder() const { return state_->folder.path(); }

std::vector<EntryInfo> Engine::entries(bool with_code) const {
    std::vector<EntryPtr> held;
    {
        const std::shared_lock lock(state_->mutex);
        held = state_->entries;
    }
    std::vector<EntryInfo> result;
    for (auto entry = held.rbegin(); entry != held.rend(); ++entry) result.push_back((*entry)->info(with_code));
    if (std::string why = state_->why_given_up(); !why.empty()) {
        result.emplace_back();
        result.back().uncompiled = std::move(why);
    }
    return result;
}

std::vector<MissInfo> Engine::misses() const {
    const std::shared_lock lock(state_->mutex);
    return {state_->seen_misses.begin(), state_->seen_misses.end()};
}

}  // namespace fastnp::detail
