// What compiling takes, for front ends that weigh it against what calls take.
#pragma once

#include <chrono>
#include <cstdint>

#include "fastnp/export.h"

namespace fastnp::detail {

/// Nanoseconds that this thread has spent on compiling so far: on recordings, passes, and code.
FASTNP_API std::int64_t compiling_time();

/// Its life counts as compiling. Lives inside of another's count once.
class FASTNP_API CompilingTime {
public:
    CompilingTime();
    ~CompilingTime();
    CompilingTime(const CompilingTime&) = delete;
    CompilingTime& operator=(const CompilingTime&) = delete;

private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace fastnp::detail
