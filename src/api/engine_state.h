// What a compiled function holds: its entries, and how calls that find none get one (engine_misses.cpp).
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/debug_folder.h"
#include "api/direct_calls.h"
#include "api/entry.h"
#include "base/fork.h"
#include "base/turn_lock.h"
#include "fastnp/compile.h"

namespace fastnp::detail {

class Ahead;

constexpr std::uint64_t least_patience = 16, most_patience = std::uint64_t{1} << 20;  // calls; see make_room

// An entry whose code is being made.
struct Pending {
    std::shared_ptr<Entry> entry;
    std::uint32_t forks = base::fork_count();  // a child of fork() waits for none of its parent's
};

struct Engine::State : std::enable_shared_from_this<Engine::State> {
    CompileOptions options;
    const std::string* caller = nullptr;  // what devices are told of it
    mutable base::ForkSafe<std::shared_mutex> mutex;  // of `entries` and `seen_misses`
    mutable base::TurnLock compiling;  // one recording at a time; of `patience`
    std::vector<EntryPtr> entries;
    std::vector<Pending> pending;  // under `mutex`
    std::deque<MissInfo> seen_misses;
    std::uint32_t next_group = 0;
    std::uint64_t patience = least_patience;
    bool has_shown_read = false;  // under `compiling`
    std::string given_up;         // why nothing is recorded any more, or empty
    FunctionFolder folder;
    const std::uint64_t number = next_function();
    std::atomic<std::uint64_t> hits{0}, misses{0}, compiles{0}, uncompiled{0};

    class Turn;

    std::uint64_t clock() const { return hits.load(std::memory_order_relaxed) + misses.load(std::memory_order_relaxed); }
    Result written(std::string reason) {
        uncompiled.fetch_add(1, std::memory_order_relaxed);
        return {Outcome::uncompiled, nullptr, std::move(reason), nullptr};
    }
    EntryPtr serve_like_last(std::span<const Argument> call, std::string_view key, std::vector<array>& results);
    void count(const Entry& served);
    static void note_call(const Entry& entry, std::uint64_t time) { entry.last_call.store(time, std::memory_order_relaxed); }

    EntryPtr match(std::span<const Argument> call, std::string_view key, const device::Backend* device, std::int64_t* values,
                   const std::vector<trace::Found>& known) const;
    void prefer(const EntryPtr& entry);

    MissInfo explain_miss(std::span<const Argument> call, std::string_view key, const device::Backend* device,
                          std::vector<std::pair<int, int>>& dynamic) const;
    void note_miss(MissInfo miss, double milliseconds);
    std::vector<EntryPtr> courses(std::span<const Argument> call, std::string_view key, const device::Backend* device) const;
    bool make_room(const std::string& reason);
    bool make_room_for_course(const std::vector<EntryPtr>& courses, const std::vector<trace::Found>& known);
    bool is_idle(std::uint64_t last_call, std::uint64_t made_at);
    EntryPtr add(const std::shared_ptr<Entry>& entry);
    void give_up(const std::string& why);
    std::string why_given_up() const;
    static EntryPtr refuse(std::string reason);
    EntryPtr specialise(std::span<const Argument> call, std::string_view key, device::Backend* device, Callee& callee,
                        const std::vector<trace::Found>& known, bool& refused);
    bool take_stored(Entry& entry, const std::string& name, std::span<const Argument> call, std::string_view key, Callee& callee,
                     const std::vector<trace::Found>& known) const;
    bool record(const std::shared_ptr<Entry>& entry, const std::string& name, std::span<const Argument> call, Callee& callee,
                const std::vector<trace::Found>& known);
    void compile_later(const std::shared_ptr<Entry>& entry, Recording recording, const CompileOptions& own, std::function<void()> store);
    void take_compiled(const std::shared_ptr<Entry>& entry);
    void write_debug(Entry& entry);
    bool is_pending(std::span<const Argument> call, std::string_view key, const device::Backend* device);
    EntryPtr make(std::span<const Argument> call, std::string_view key, device::Backend* device, Callee& callee, const std::vector<trace::Found>& known,
                  std::int64_t* values, int& made, bool& refused);
    void verify(const Entry& entry, std::span<const Argument> call, Callee& callee) const;
    /// What the thread asks for before there is a call.
    Result look_ahead(std::span<const Argument> call, std::string_view key, device::Backend* device, Callee& callee, Ahead& ahead);
    void show_read(std::span<const Argument> call, std::string_view key, Callee& callee, const std::vector<trace::Found>& known);
};

}  // namespace fastnp::detail
