// What a watch over memory knows, for those who can name lines and arrays.
#pragma once

#include "fastnp/detail/memory_watch.h"

namespace fastnp::device {

/// By who asked for it; lines are numbers alone.
fastnp::detail::MemorySnapshot watched_memory();
/// The memory at an address, if it was made in a call of a compiled function, is one of its results.
void note_result(const void* address, int result);

}  // namespace fastnp::device
