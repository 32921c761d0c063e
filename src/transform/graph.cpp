// Graphs for users: run, handed on to another back end, changed.
#include "fastnp/graph.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "api/body.h"
#include "api/graph_state.h"
#include "base/bytes.h"
#include "compile/backends.h"
#include "compile/specialise.h"
#include "fastnp/error.h"
#include "trace/recorder.h"
#include "transform/once.h"
#include "transform/values.h"

namespace fastnp {

namespace {

using detail::GraphState;
using detail::type_text;
using ir::Value;

void check_inputs(const GraphState& state, const std::vector<array>& arrays) {
    if (arrays.size() != state.inputs.size()) {
        throw ValueError("a graph of " + std::to_string(state.inputs.size()) + " inputs is run on " + std::to_string(arrays.size()) + " arrays");
    }
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        const GraphNode& node = state.nodes[state.inputs[i]];
        if (arrays[i].dtype() == node.dtype && arrays[i].shape() == node.shape) continue;
        throw ValueError("input " + std::to_string(i) + " of a graph is " + type_text(node.dtype, node.shape) + ", and is run on " +
                         type_text(arrays[i].dtype(), arrays[i].shape()));
    }
}

// A graph that is written anew, with one node computed in another way.
class Replacement {
public:
    Replacement(const GraphState& state, std::size_t node, std::vector<std::size_t> inputs)
        : state_(state), node_(node), inputs_(std::move(inputs)), recorder_(std::make_shared<detail::OnceRecorder>()) {}

    std::shared_ptr<const GraphState> run(const std::function<array(const std::vector<array>&)>& function) {
        const trace::Recorder::Scope scope(recorder_);
        const trace::Recorder::Keeping keeping(*recorder_);
        ir::Graph& graph = recorder_->graph();
        graph.share_bodies(state_.graph);
        for (const Value parameter : state_.graph.parameters()) {
            made_.emplace(parameter, graph.parameter(parameter->dtype, parameter->shape));
            recorder_->note_later(made_.at(parameter));
        }
        for (std::size_t i = 0; i < state_.values.size(); ++i) {
            const Value value = state_.values[i];
            if (made_.contains(value) && i != node_) continue;
            made_[value] = i == node_ ? replaced(function) : remade(value);
            if (value->op == ir::Op::update && i != node_) updates_.push_back(made_.at(value));
        }
        if (graph.parameters().size() != state_.graph.parameters().size())
            throw ValueError("Graph.replace: the function reads an array besides those that it is given");
        std::vector<Value> outputs;
        std::vector<ir::Place> places;
        for (const Value output : state_.graph.outputs()) {
            outputs.push_back(made_.at(output));
            places.push_back({graph.next_owner(), outputs.back(), {}});
        }
        graph.set_outputs(std::move(outputs), std::move(places));
        for (const Value effect : recorder_->effects()) updates_.push_back(effect);
        std::sort(updates_.begin(), updates_.end(), [](Value a, Value b) { return a->id < b->id; });
        graph.set_effects(std::move(updates_));
        return std::make_shared<const GraphState>(graph.copy());
    }

private:
    Value remade(Value value) {
        std::vector<Value> inputs;
        for (const Value input : value->inputs) inputs.push_back(made_.at(input));
        const ir::At at(recorder_->graph(), value);
        return recorder_->graph().make(value->op, inputs, value->attributes, value->dtype, value->shape);
    }

    Value replaced(const std::function<array(const std::vector<array>&)>& function) {
        std::vector<array> arrays;
        for (const std::size_t input : inputs_) arrays.push_back(transform::array_of(made_.at(state_.values[input])));
        const array result = function(arrays);
        const GraphNode& node = state_.nodes[node_];
        if (result.dtype() != node.dtype || result.shape() != node.shape) {
            throw ValueError("Graph.replace: node %" + std::to_string(node_) + " (" + node.op + ") is " + type_text(node.dtype, node.shape) +
                             ", and what is to replace it " + type_text(result.dtype(), result.shape()));
        }
        return transform::value_of(result);
    }

    const GraphState& state_;
    const std::size_t node_;
    const std::vector<std::size_t> inputs_;
    const std::shared_ptr<detail::OnceRecorder> recorder_;
    std::unordered_map<Value, Value> made_;
    std::vector<Value> updates_;
};

}  // namespace

std::vector<array> Graph::run(const std::vector<array>& arrays) const { return compile("eager")(arrays); }

GraphFunction Graph::compile(std::string_view backend) const {
    return [state = state_, name = compiler::full_name(backend)](const std::vector<array>& arrays) {
        check_inputs(*state, arrays);
        return detail::run_packed(state->packed, arrays, name);
    };
}

std::vector<std::pair<std::string, std::string>> Graph::passes(std::string_view backend) const {
    base::Reader in(state_->packed);
    ir::Graph graph = ir::Graph::unpack(in);
    plan::Times times;
    std::vector<PassInfo> found;
    compiler::prepare(graph, compiler::full_name(backend), {times, &found});
    std::vector<std::pair<std::string, std::string>> passes;
    for (PassInfo& each : found) passes.emplace_back(std::move(each.name), std::move(each.text));
    return passes;
}

Graph Graph::replace(std::size_t node, const std::function<array(const std::vector<array>&)>& function,
                     const std::optional<std::vector<std::size_t>>& inputs) const {
    if (node >= state_->nodes.size()) throw ValueError("Graph.replace: there is no node %" + std::to_string(node));
    if (state_->nodes[node].op == "parameter") throw ValueError("Graph.replace: node %" + std::to_string(node) + " is an input");
    const std::vector<std::size_t>& given = inputs ? *inputs : state_->nodes[node].inputs;
    for (const std::size_t input : given) {
        if (input >= node) throw ValueError("Graph.replace: node %" + std::to_string(input) + " does not come before node %" + std::to_string(node));
    }
    return Graph(Replacement(*state_, node, given).run(function));
}

}  // namespace fastnp
