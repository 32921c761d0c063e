// What happens when, and on which thread, while somebody wants to know.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "fastnp/export.h"

namespace fastnp::detail {

/// A stretch of a thread's time, in nanoseconds of the steady clock.
struct TimelineEvent {
    const char* kind = "";  // "record", "pass", "code", "kernel", "task", "memory", "copy", "launch"
    std::string name;
    std::int64_t begin = 0, end = 0;
    std::int64_t bytes = -1;  // negative: it is not about memory
    unsigned thread = 0;      // numbered from 1 on
};

/// Nothing else is looked at where it is off.
FASTNP_API extern std::atomic<bool> timeline_on;
inline bool is_timed() { return timeline_on.load(std::memory_order_relaxed); }

/// From now on events are kept, up to a number of them; those from before are forgotten.
FASTNP_API void start_timeline();
/// No longer. What was kept, by begin, and how many were not, as there was no room.
FASTNP_API std::pair<std::vector<TimelineEvent>, std::uint64_t> stop_timeline();

FASTNP_API std::int64_t timeline_now();
/// The number of the calling thread.
FASTNP_API unsigned timeline_thread();
/// Keeps an event of this thread.
FASTNP_API void note_time(const char* kind, std::string name, std::int64_t begin, std::int64_t end, std::int64_t bytes = -1);

/// Its life is an event. A name that is made for it is given as a function.
class TimelineSpan {
public:
    template <class Name>
    TimelineSpan(const char* kind, const Name& name, std::int64_t bytes = -1) : kind_(kind), bytes_(bytes) {
        if (!is_timed()) [[likely]]
            return;
        if constexpr (std::is_invocable_v<const Name&>) name_ = name();
        else name_ = std::string_view(name);
        begin_ = timeline_now();
    }
    ~TimelineSpan() {
        if (begin_ == 0) [[likely]]
            return;
        note_time(kind_, std::move(name_), begin_, timeline_now(), bytes_);
    }
    TimelineSpan(const TimelineSpan&) = delete;
    TimelineSpan& operator=(const TimelineSpan&) = delete;

private:
    const char* kind_;
    std::string name_;
    std::int64_t begin_ = 0, bytes_;
};

}  // namespace fastnp::detail
