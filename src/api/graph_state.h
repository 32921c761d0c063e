// Graphs for users, over those of the compiler.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fastnp/graph.h"
#include "ir/graph.h"

namespace fastnp::detail {

struct GraphState {
    explicit GraphState(ir::Graph made);

    ir::Graph graph;
    std::vector<ir::Value> values;  // by number
    std::vector<GraphNode> nodes;
    std::vector<std::size_t> inputs, outputs;
    std::string text;
    std::string packed;  // as it is run
    bool may_raise = false;
};

/// The graph of such a text. ValueError where it is none, calls functions of the outside, or has sizes that vary.
std::shared_ptr<const GraphState> parsed_state(std::string_view text);
/// A graph's text without what is of the compiler alone: what is known of sizes, and where results lie.
std::string shown_text(const ir::Graph& graph);
/// "float32[3, 4]"
std::string type_text(Dtype dtype, const Shape& shape);
/// Sizes that are numbers.
Shape fixed_shape(const shape::Dims& shape);

}  // namespace fastnp::detail
