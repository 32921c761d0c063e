// Milliseconds, lap by lap.
#pragma once

#include <chrono>

namespace fastnp::codegen {

class Stopwatch {
public:
    /// Since it was made, or since the last lap.
    double lap() {
        const auto now = std::chrono::steady_clock::now();
        const double ms = std::chrono::duration<double, std::milli>(now - from_).count();
        from_ = now;
        return ms;
    }

private:
    std::chrono::steady_clock::time_point from_ = std::chrono::steady_clock::now();
};

}  // namespace fastnp::codegen
