#include "api/graph_state.h"

#include <algorithm>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "base/bytes.h"
#include "fastnp/error.h"
#include "ops/catalogue.h"

namespace fastnp::detail {

namespace {

std::int64_t fixed(shape::Dim size) {
    if (!size.is_constant()) throw InternalError("a graph for users has a size that varies");
    return size.value();
}

std::string packed_for_runs(const ir::Graph& graph) {
    base::Writer out;
    graph.pack(out);
    return out.bytes();
}

}  // namespace

std::string type_text(Dtype dtype, const Shape& shape) {
    std::string text = std::string(name_of(dtype)) + "[";
    for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    return text + "]";
}

Shape fixed_shape(const shape::Dims& shape) {
    Shape sizes;
    for (const shape::Dim size : shape) sizes.push_back(fixed(size));
    return sizes;
}

std::string shown_text(const ir::Graph& graph) {
    ir::Graph shown = graph.copy();
    shown.set_outputs(std::vector<ir::Value>(shown.outputs()));
    return shown.text({.sizes = false});
}

GraphState::GraphState(ir::Graph made) : graph(std::move(made)) {
    packed = packed_for_runs(graph);
    graph.set_outputs(std::vector<ir::Value>(graph.outputs()));
    text = graph.text({.sizes = false});
    values = ir::nodes_of(graph);
    std::unordered_map<ir::Value, std::size_t> numbers;
    std::istringstream lines(text);
    for (const ir::Value value : values) {
        const std::size_t number = numbers.emplace(value, numbers.size()).first->second;
        GraphNode node{
            number, std::string(name_of(value->op)), {}, value->dtype, {}, {value->attributes.ints.begin(), value->attributes.ints.end()}, {}, {}, {}};
        for (const ir::Value input : value->inputs) node.inputs.push_back(numbers.at(input));
        node.shape = fixed_shape(value->shape);
        for (const shape::Dim size : value->attributes.dims) node.dims.push_back(fixed(size));
        if (value->op == ir::Op::constant) node.scalar = value->attributes.scalar;
        std::getline(lines, node.text);
        nodes.push_back(std::move(node));
        may_raise = may_raise || ops::may_raise(*value);
    }
    for (const ir::Value parameter : graph.parameters()) inputs.push_back(numbers.at(parameter));
    for (const ir::Value output : graph.outputs()) outputs.push_back(numbers.at(output));
}

}  // namespace fastnp::detail

namespace fastnp {

const std::vector<GraphNode>& Graph::nodes() const { return state_->nodes; }
const std::vector<std::size_t>& Graph::inputs() const { return state_->inputs; }
const std::vector<std::size_t>& Graph::outputs() const { return state_->outputs; }
const std::string& Graph::text() const { return state_->text; }
bool Graph::may_raise() const { return state_->may_raise; }

}  // namespace fastnp
