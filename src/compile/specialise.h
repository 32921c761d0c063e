// The miss path: a recorded graph to a plan, a line a step.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "plan/build.h"
#include "plan/plan.h"

namespace fastnp::compiler {

struct Specialised {
    plan::Plan plan;
    plan::Times times;
    std::string ir;  // the simplified graph as text
};

/// `parameter_strides`: the layout of each parameter in bytes. `backend`: "llvm" or "eager".
Specialised specialise(ir::Graph graph, const std::vector<shape::Dims>& parameter_strides, const std::string& backend);

/// Whether a backend of that name exists.
bool is_backend(const std::string& name);

}  // namespace fastnp::compiler
