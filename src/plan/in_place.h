// Scatters that are done where their result is stored: without the copies before and after.
#pragma once

#include <unordered_set>

#include "pass/fuse.h"

namespace fastnp::plan {

/// The scatters of a program whose result does nothing but overwrite, in the next step, all of what it was made of. That step is needed no more then.
std::unordered_set<ir::Value> scatters_in_place(const ir::Graph& graph, const pass::Program& program);

}  // namespace fastnp::plan
