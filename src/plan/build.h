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

/// What a plan is for.
struct Use {
    device::Backend* device = nullptr;  // that runs it; null: the host
    bool is_body = false;               // a turn of a loop
    pass::Layout layout = pass::Layout::contiguous;
    KernelsBy kernels_by = KernelsBy::llvm;
    std::vector<int> by_value{};  // the parameters that the device is given by value (Slot::by_value)
};

/// A plan that lacks its code.
Plan build(ir::Graph& graph, const pass::Program& program, const Bodies& bodies, const Use& use, Times& times);

/// How much LLVM does for such kernels.
codegen::Effort effort_of(KernelsBy kernels_by);

/// Makes the code of plans, each for where it runs.
void generate(std::span<Plan* const> plans, Times& times);

}  // namespace fastnp::plan
