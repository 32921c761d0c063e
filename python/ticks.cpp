#include "ticks.h"

#include <algorithm>
#include <atomic>
#include <chrono>

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace fastnp::python {

namespace {

constexpr Nanoseconds long_enough = 1'000'000;  // to compare the two clocks by

bool is_counter_even() {
#ifdef __x86_64__
    constexpr unsigned power_leaf = 0x80000007, invariant = 1U << 8;
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(power_leaf, &a, &b, &c, &d) != 0 && (d & invariant) != 0;
#else
    return false;
#endif
}

// Both clocks at one time.
struct Pair {
    std::uint64_t counter = ticks(), steady = steady_ticks();
};

double measured_rate() {
    static const Pair begin;
    Pair now;
    while (static_cast<Nanoseconds>(now.steady - begin.steady) < long_enough) now = {};
    return static_cast<double>(now.steady - begin.steady) / static_cast<double>(now.counter - begin.counter);
}

}  // namespace

const bool counter_is_even = is_counter_even();

std::uint64_t steady_ticks() { return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1)); }

Nanoseconds nanoseconds_of(std::uint64_t ticks) {
    static const double rate = counter_is_even ? measured_rate() : 1.0;
    return static_cast<Nanoseconds>(static_cast<double>(std::max(static_cast<std::int64_t>(ticks), std::int64_t{0})) * rate);
}

}  // namespace fastnp::python
