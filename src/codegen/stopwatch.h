// Milliseconds, lap by lap.
#pragma once

#include <chrono>

#include "fastnp/detail/timeline.h"

namespace fastnp::codegen {

class Stopwatch {
public:
    /// Since it was made, or since the last lap. A lap that has a name is an event of the timeline.
    double lap(const char* name = nullptr) {
        const auto now = std::chrono::steady_clock::now();
        if (name != nullptr && detail::is_timed()) detail::note_time("code", name, nanoseconds(from_), nanoseconds(now));
        const double ms = std::chrono::duration<double, std::milli>(now - from_).count();
        from_ = now;
        return ms;
    }

private:
    using Moment = std::chrono::steady_clock::time_point;
    static std::int64_t nanoseconds(Moment moment) { return moment.time_since_epoch() / std::chrono::nanoseconds(1); }

    Moment from_ = std::chrono::steady_clock::now();
};

}  // namespace fastnp::codegen
