// Programs to plans: lowers each region, compiles all kernels at once, gives every value in memory its slot.
#pragma once

#include "pass/fuse.h"
#include "plan/plan.h"

namespace fastnp::plan {

/// Milliseconds spent, by phase.
using Times = std::vector<std::pair<std::string, double>>;

Plan build(ir::Graph& graph, const pass::Program& program, Times& times);

}  // namespace fastnp::plan
