// What is read of memory after it was written to: copies taken before.
#pragma once

#include "ir/graph.h"

namespace fastnp::pass {

/// After simplify: each value that is made after an update, and reads (through moves alone) what the update overwrote, reads a copy that is taken before
/// it; so does an update that moves elements within the same memory. Node numbers are then an order in which the graph can be run with every update done
/// in place, but for values that are computed where they are used.
void keep_overwritten(ir::Graph& graph);

}  // namespace fastnp::pass
