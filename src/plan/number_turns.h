// Loops over numbers, whose iterations are one program (nest/number_loop.h).
#pragma once

#include "plan/loop_arrays.h"

namespace fastnp::plan {

/// Takes all turns. IndexError in NumPy's words.
void take_number_turns(LoopArrays& arrays, const std::int64_t* values);

}  // namespace fastnp::plan
