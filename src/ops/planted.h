// Faults in graphs, planted by tests (base/planted.h).
#pragma once

#include <string_view>

#include "ir/graph.h"

namespace fastnp::ops {

/// Puts the fault that is planted at a stage into the graph: at the first node of its op that it can be put into. What is kept of users' lines is lost.
///
///     swap        the first two operands change places
///     NAME        another op of the catalogue, of the same operands
///     skip        the node gives its first operand
///     constant    its first operand that is a constant is another one
///     forget      what it writes is not written (updates)
void plant(ir::Graph& graph, std::string_view stage);

}  // namespace fastnp::ops
