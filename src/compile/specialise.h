// The miss path: a recorded graph to a plan, a line a step.
#pragma once

#include <string>
#include <vector>

#include "fastnp/compile.h"
#include "ir/graph.h"
#include "plan/build.h"
#include "plan/plan.h"

namespace fastnp::compiler {

/// What is noted of a compilation: its times by phase, and, unless it is null, the graph after each pass that changed it.
struct Notes {
    plan::Times& times;
    std::vector<PassInfo>* passes = nullptr;
};

/// The passes from a recorded graph to one that can be fused; notes the time. `backend`: its name (fastnp/backends.h).
void prepare(ir::Graph& graph, const std::string& backend, const Notes& notes);
/// A plan for a prepared graph. `parameter_strides`: the layout of each parameter in bytes.
plan::Plan specialise(ir::Graph& graph, const std::vector<shape::Dims>& parameter_strides, const std::string& backend, const plan::Use& use,
                      const Notes& notes);

}  // namespace fastnp::compiler
