// Loops whose bodies are kernels alone: nothing is looked up or allocated at a turn, and where kernels go over all that changes by rows, several turns
// are taken of a block of rows while it is in a near cache (time skewing: Wonnacott, "Achieving Scalable Locality with Time Skewing", 2002).
#pragma once

#include "plan/loop_arrays.h"

namespace fastnp::plan {

/// Whether a body is made of kernels alone, and what it gives for each state is an array of its own. `values`: the sizes' values.
bool is_of_kernels(const LoopStep& step, const std::int64_t* values);

/// Takes all turns.
void take_kernel_turns(LoopArrays& arrays, const std::int64_t* values);

}  // namespace fastnp::plan
