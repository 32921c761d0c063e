#include "pass/place.h"

#include <unordered_map>
#include <utility>
#include <vector>

#include "ops/moves.h"
#include "trace/storage.h"

namespace fastnp::pass {

using ir::Op;
using ir::Value;

namespace {

// What a value is, but for another shape, in C order.
Value without_reshapes(Value value) {
    while (value->op == Op::reshape || value->op == Op::expand_dims || value->op == Op::squeeze) value = value->inputs[0];
    return value;
}

}  // namespace

bool is_copy(Value value) { return value->op == Op::cast && !value->attributes.ints.empty(); }

void place_outputs(ir::Graph& graph) {
    std::vector<Value> outputs = graph.outputs();
    std::vector<ir::Place> places = graph.places();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        ir::Place& place = places[i];
        if (place.owner < 0) continue;
        outputs[i] = trace::rebase(graph, outputs[i], place.whole, trace::placed_copy(graph, place.whole, place.order, place.owner));
        place.whole = nullptr;  // the graph says it from here on
    }
    graph.set_outputs(std::move(outputs), std::move(places));
}

void drop_copies(ir::Graph& graph) {
    std::unordered_map<Value, std::int64_t> taken;  // by the owner whose memory it is
    std::vector<Value> outputs = graph.outputs();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const std::int64_t owner = graph.places()[i].owner;
        if (owner < 0) continue;
        const Value copy = ops::viewed(outputs[i]);
        const Value original = copy->inputs[0];
        const Value made = without_reshapes(original);
        const bool lies_elsewhere = ops::is_move(made) || made->op == Op::parameter || made->op == Op::update || is_copy(made);
        if (lies_elsewhere || taken.emplace(made, owner).first->second != owner) continue;
        outputs[i] = trace::rebase(graph, outputs[i], copy, original);
    }
    graph.set_outputs(std::move(outputs));
}

Value PlacedResults::placed(Value result, Value memory, Value now, ir::Place& place) {
    const auto [copy, is_new] = copies_.try_emplace(memory, nullptr, graph_.next_owner());
    if (is_new) copy->second.first = trace::placed_copy(graph_, now, {}, copy->second.second);
    place.owner = copy->second.second;
    return trace::rebase(graph_, result, now, copy->second.first);
}

}  // namespace fastnp::pass
