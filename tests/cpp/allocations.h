// How often this thread asked for memory.
#pragma once

#include <cstdint>

namespace fastnp {

/// Calls of operator new so far; none where sanitizers have an operator new of their own.
std::int64_t allocations();

#ifdef FASTNP_SANITIZED
inline constexpr bool counts_allocations = false;
#else
inline constexpr bool counts_allocations = true;
#endif

}  // namespace fastnp
