#include "api/graph_state.h"

#include <algorithm>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "base/bytes.h"
#include "fastnp/error.h"
#include "ir/parse.h"
#include "ops/catalogue.h"
#include "ops/verify.h"

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
        if (value->where) node.place = ir::text_of(value->where);
        if (value->op == ir::Op::constant) node.scalar = value->attributes.scalar;
        std::getline(lines, node.text);
        nodes.push_back(std::move(node));
        may_raise = may_raise || ops::may_raise(*value);
    }
    for (const ir::Value parameter : graph.parameters()) inputs.push_back(numbers.at(parameter));
    for (const ir::Value output : graph.outputs()) outputs.push_back(numbers.at(output));
}

std::shared_ptr<const GraphState> parsed_state(std::string_view text) {
    ir::Graph graph = ir::parse(text);
    if (!graph.calls().empty()) throw ValueError("a graph for users calls no functions of the outside");
    for (const ir::Value value : ir::nodes_of(graph)) {
        for (const shape::Dim size : value->shape) {
            if (!size.is_constant()) throw ValueError("a graph for users has no sizes that vary, as node " + std::to_string(value->id) + " does");
        }
    }
    try {
        ops::verify(graph);
    } catch (const InternalError& error) {  // it is not fastnp that made it
        throw ValueError(error.what());
    }
    std::vector<ir::Place> places;
    for (const ir::Value output : graph.outputs()) places.push_back({graph.next_owner(), output, {}});
    graph.set_outputs(std::vector<ir::Value>(graph.outputs()), std::move(places));
    return std::make_shared<const GraphState>(std::move(graph));
}

namespace {

// Some values of a graph, of others, in a graph of their own.
class Part {
public:
    Part(const GraphState& state, const std::vector<std::size_t>& inputs) : state_(state), graph_(state.graph.sibling()) {
        for (const std::size_t input : inputs) {
            const ir::Value value = state.values[input];
            if (!made_.emplace(value, graph_.parameter(value->dtype, value->shape)).second) {
                throw ValueError("Graph.part: node %" + std::to_string(input) + " is named twice among `inputs`");
            }
        }
    }

    std::shared_ptr<const GraphState> run(const std::vector<std::size_t>& outputs) {
        std::vector<ir::Value> ends;
        std::vector<ir::Place> places;
        for (const std::size_t output : outputs) {
            ends.push_back(remake(state_.values[output]));
            places.push_back({graph_.next_owner(), ends.back(), {}});
        }
        graph_.set_outputs(std::move(ends), std::move(places));
        std::sort(updates_.begin(), updates_.end(), [](ir::Value a, ir::Value b) { return a->id < b->id; });
        graph_.set_effects(std::move(updates_));
        return std::make_shared<const GraphState>(std::move(graph_));
    }

private:
    // Operands have been made before: values are in their order.
    ir::Value remake(ir::Value end) {
        std::vector<ir::Value> open{end};
        while (!open.empty()) {
            const ir::Value value = open.back();
            std::vector<ir::Value> inputs;
            for (const ir::Value input : value->inputs) {
                if (const auto known = made_.find(input); known != made_.end()) inputs.push_back(known->second);
                else open.push_back(input);
            }
            if (made_.contains(value)) {
                open.pop_back();
            } else if (inputs.size() == value->inputs.size()) {
                open.pop_back();
                make(value, inputs);
            }
        }
        return made_.at(end);
    }

    void make(ir::Value value, const std::vector<ir::Value>& inputs) {
        if (value->op == ir::Op::parameter) {
            const auto number = std::find(state_.values.begin(), state_.values.end(), value) - state_.values.begin();
            throw ValueError("Graph.part: node %" + std::to_string(number) + " is an input of the graph, and none of `inputs`");
        }
        const ir::At at(graph_, value);
        const ir::Value made = graph_.make(value->op, inputs, value->attributes, value->dtype, value->shape);
        if (value->op == ir::Op::update) updates_.push_back(made);
        made_.emplace(value, made);
    }

    const GraphState& state_;
    ir::Graph graph_;
    std::unordered_map<ir::Value, ir::Value> made_;
    std::vector<ir::Value> updates_;
};

}  // namespace

}  // namespace fastnp::detail

namespace fastnp {

Graph Graph::parse(std::string_view text) { return Graph(detail::parsed_state(text)); }

Graph Graph::part(const std::vector<std::size_t>& outputs, const std::optional<std::vector<std::size_t>>& inputs) const {
    const std::vector<std::size_t>& given = inputs ? *inputs : state_->inputs;
    for (const auto* const numbers : {&outputs, &given}) {
        for (const std::size_t number : *numbers) {
            if (number >= state_->nodes.size()) throw ValueError("Graph.part: there is no node %" + std::to_string(number));
        }
    }
    return Graph(detail::Part(*state_, given).run(outputs));
}

const std::vector<GraphNode>& Graph::nodes() const { return state_->nodes; }
const std::vector<std::size_t>& Graph::inputs() const { return state_->inputs; }
const std::vector<std::size_t>& Graph::outputs() const { return state_->outputs; }
const std::string& Graph::text() const { return state_->text; }
bool Graph::may_raise() const { return state_->may_raise; }

}  // namespace fastnp
