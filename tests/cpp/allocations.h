// How often this thread asked for memory.
#pragma once

#include <cstdint>

namespace fastnp {

/// Calls of operator new so far; none where sanitizers have an operator new of their own.
std::int64_t allocations();

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool counts_allocations = false;
#else
inline constexpr bool counts_allocations = true;
#endif

}  // namespace fastnp
