#include "fastnp/detail/timeline.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>

#include "base/fork.h"

namespace fastnp::detail {

namespace {

constexpr std::size_t most_events = std::size_t{1} << 20;

struct Kept {
    base::ForkSafe<std::mutex> mutex;
    std::vector<TimelineEvent> events;
    std::uint64_t lost = 0;
};

Kept& kept() {
    return base::made_once([] { return std::make_unique<Kept>(); });
}

}  // namespace

constinit std::atomic<bool> timeline_on{false};

void start_timeline() {
    Kept& there = kept();
    const std::scoped_lock lock(there.mutex);
    there.events.clear();
    there.lost = 0;
    timeline_on.store(true, std::memory_order_relaxed);
}

std::pair<std::vector<TimelineEvent>, std::uint64_t> stop_timeline() {
    timeline_on.store(false, std::memory_order_relaxed);
    std::vector<TimelineEvent> events;
    std::uint64_t lost = 0;
    {
        Kept& there = kept();
        const std::scoped_lock lock(there.mutex);
        events.swap(there.events);
        lost = std::exchange(there.lost, 0);
    }
    // What holds another one comes before it.
    std::ranges::stable_sort(events,
                             [](const TimelineEvent& a, const TimelineEvent& b) { return a.begin != b.begin ? a.begin < b.begin : a.end > b.end; });
    return {std::move(events), lost};
}

std::int64_t timeline_now() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }

unsigned timeline_thread() {
    static constinit std::atomic<unsigned> count{0};
    thread_local const unsigned number = ++count;
    return number;
}

void note_time(const char* kind, std::string name, std::int64_t begin, std::int64_t end, std::int64_t bytes) {
    const unsigned thread = timeline_thread();
    Kept& there = kept();
    const std::scoped_lock lock(there.mutex);
    if (!is_timed() || there.events.size() >= most_events) {
        ++there.lost;
        return;
    }
    there.events.push_back({kind, std::move(name), begin, end, bytes, thread});
}

}  // namespace fastnp::detail
