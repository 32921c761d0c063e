#include "pass/place.h"

#include <unordered_map>
#include <utility>
#include <vector>

#include "ops/catalogue.h"

namespace fastnp::pass {

using ir::Op;
using ir::Value;

namespace {

bool is_move(Value value) { return ops::info(value->op).kind == ops::Kind::move; }

// What a value is a view of.
Value base_of(Value value) {
    while (is_move(value)) value = value->inputs[0];
    return value;
}

// What a value is, but for another shape, in C order.
Value without_reshapes(Value value) {
    while (value->op == Op::reshape || value->op == Op::expand_dims || value->op == Op::squeeze) value = value->inputs[0];
    return value;
}

// The same view of something else than `whole`.
Value rebase(ir::Graph& graph, Value value, Value whole, Value instead) {
    if (value == whole) return instead;
    const Value input[] = {rebase(graph, value->inputs[0], whole, instead)};
    return graph.make(value->op, input, value->attributes, value->dtype, value->shape);
}

Value copy_of(ir::Graph& graph, Value value, int owner) {
    ir::Attributes attributes;
    attributes.dtype = value->dtype;
    attributes.ints.push_back(owner);
    const Value input[] = {value};
    return graph.make(Op::cast, input, std::move(attributes), value->dtype, value->shape);
}

Value transposed(ir::Graph& graph, Value value, const SmallVector<std::int64_t>& axes) {
    ir::Attributes attributes;
    attributes.ints = axes;
    shape::Dims shape;
    for (const std::int64_t axis : axes) shape.push_back(value->shape[static_cast<std::size_t>(axis)]);
    const Value input[] = {value};
    return graph.make(Op::transpose, input, std::move(attributes), value->dtype, std::move(shape));
}

// The array that a place names, as a copy in C order of its axes in the order they shall lie in.
Value placed(ir::Graph& graph, const ir::Place& place) {
    if (place.order.empty()) return copy_of(graph, place.whole, place.owner);
    SmallVector<std::int64_t> back(place.order.size(), 0);
    for (std::size_t i = 0; i < place.order.size(); ++i) back[static_cast<std::size_t>(place.order[i])] = static_cast<std::int64_t>(i);
    return transposed(graph, copy_of(graph, transposed(graph, place.whole, place.order), place.owner), back);
}

}  // namespace

bool is_copy(Value value) { return value->op == Op::cast && !value->attributes.ints.empty(); }

void place_outputs(ir::Graph& graph) {
    std::vector<Value> outputs = graph.outputs();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const ir::Place& place = graph.places()[i];
        if (place.owner >= 0) outputs[i] = rebase(graph, outputs[i], place.whole, placed(graph, place));
    }
    graph.set_outputs(std::move(outputs), graph.places());
}

void drop_copies(ir::Graph& graph) {
    std::unordered_map<Value, int> taken;  // by the owner whose memory it is
    std::vector<Value> outputs = graph.outputs();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const int owner = graph.places()[i].owner;
        if (owner < 0) continue;
        const Value copy = base_of(outputs[i]);
        const Value original = copy->inputs[0];
        const Value made = without_reshapes(original);
        const bool lies_elsewhere = is_move(made) || made->op == Op::parameter;
        if (lies_elsewhere || taken.emplace(made, owner).first->second != owner) continue;
        outputs[i] = rebase(graph, outputs[i], copy, original);
    }
    graph.set_outputs(std::move(outputs), graph.places());
}

}  // namespace fastnp::pass
