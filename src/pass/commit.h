// Writes to arguments that come before something that may end the run of a plan.
#pragma once

#include "ir/graph.h"

namespace fastnp::pass {

/// Before simplify. Where an error may come up, or a value be another than when recorded, after an argument was written to: the argument is copied, the
/// copy is written to, and the argument gets all of it at the end. So a plan that can't go on has changed nothing. RecordError for writes through
/// reshapes.
void commit_at_end(ir::Graph& graph);

}  // namespace fastnp::pass
