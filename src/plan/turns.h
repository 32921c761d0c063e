// The turns of a loop.
#pragma once

#include <vector>

#include "plan/plan.h"

namespace fastnp::plan {

/// Runs a loop's body at each turn, on the operands' memory (states, parts, constants). Gives the states at the end, what was collected and what was
/// saved, in memory that nothing else has; empty where nothing takes it. What the body raises is thrown.
std::vector<device::Memory> run_turns(const LoopStep& step, const std::vector<device::Memory>& operands, std::int64_t* values, trace::Caller& caller);

}  // namespace fastnp::plan
