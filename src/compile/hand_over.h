// What a back end of users is given of a graph: all that computes values. What reads them, calls, and writes to arguments stays around it.
#pragma once

#include <optional>
#include <string>

#include "ir/graph.h"

namespace fastnp::compiler {

struct HandedOver {
    ir::Graph graph;                     // its parameters are the operands of the call, its outputs what that gives
    std::vector<int> parameters;         // of the whole graph, by operand; -1: what another call gave
    int call = 0;                        // the number of the call in the graph that is left
};

/// Takes the values out of a prepared graph, which is left with a call of this name in their place. Nothing: it computes none. RecordError where
/// a size depends on values, or a view of an argument is written to.
std::optional<HandedOver> hand_over(ir::Graph& graph, const std::string& name);

}  // namespace fastnp::compiler
