// Fourier transforms of lines in a device's memory, as libraries for them take these.
#pragma once

#include <cstdint>

namespace fastnp::device {

/// Lines of elements: `stride` from one to the next, `step` from one line to the next, in elements.
struct LinesAt {
    void* data = nullptr;
    std::int64_t stride = 1, step = 0;
    friend bool operator==(const LinesAt&, const LinesAt&) = default;
};

/// The transforms of `count` lines of `points` points each, without a scale. `from` and `to` share no memory, and their addresses are multiples of 16;
/// no size is 0, no distance less than 1.
struct Transform {
    enum class Kind : std::uint8_t {
        forward,
        backward,    // of complex points
        real,       // forward, of real ones: the first points / 2 + 1 elements
        to_real,    // backward, of so many: real points. Overwrites what it reads.
    };
    Kind kind{};
    bool is_double = true;  // float64 and complex128; else float32 and complex64
    std::int64_t points = 1, count = 1;
    LinesAt from, to;
    friend bool operator==(const Transform&, const Transform&) = default;
};

}  // namespace fastnp::device
