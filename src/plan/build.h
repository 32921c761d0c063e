// Programs to plans: lowers each region, gives every value in memory its slot, compiles all kernels at once.
#pragma once

#include <memory>

#include "pass/fuse.h"
#include "plan/plan.h"

namespace fastnp::plan {

/// Milliseconds spent, by phase.
using Times = std::vector<std::pair<std::string, double>>;

/// The plans of a graph's bodies (ir::Body), by their number; null for those that nothing runs.
using Bodies = std::vector<std::shared_ptr<const Plan>>;

/// Where a plan runs, and which parameters it is given by value there (Slot::by_value).
struct Place {
    device::Backend* device = nullptr;  // null: the host
    std::vector<int> by_value{};
};

/// A plan that lacks its code.
Plan build(ir::Graph& graph, const pass::Program& program, const Bodies& bodies, const Place& place, Times& times);

/// Makes the code of plans, each for where it runs.
void generate(std::span<Plan* const> plans, Times& times);

}  // namespace fastnp::plan
