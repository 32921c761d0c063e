// A clock that is read in some nanoseconds, for what calls of a microsecond spend.
#pragma once

#include <cstdint>

#ifdef __x86_64__
#include <x86intrin.h>
#endif

namespace fastnp::python {

using Nanoseconds = std::int64_t;

/// Of the steady clock, whose unit they are.
std::uint64_t steady_ticks();
/// Whether the processor's counter counts evenly, at one rate on all cores.
extern const bool counter_is_even;

/// A point in time: the processor's counter, or the steady clock's.
inline std::uint64_t ticks() {
#ifdef __x86_64__
    if (counter_is_even) return __rdtsc();
#endif
    return steady_ticks();
}

/// What lies between two of them.
Nanoseconds nanoseconds_of(std::uint64_t ticks);

}  // namespace fastnp::python
