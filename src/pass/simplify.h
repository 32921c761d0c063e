// Whole-array algebra that never changes a bit of the result. (Equal nodes are one by construction; what no output needs is never looked at.)
#pragma once

#include "ir/graph.h"

namespace fastnp::pass {

/// Rewrites the graph's outputs: folds constants, drops casts, moves and maps that do nothing, joins moves, and brings reshapes down to
/// memory, where they are free.
void simplify(ir::Graph& graph);

}  // namespace fastnp::pass
