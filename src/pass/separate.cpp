#include "pass/separate.h"

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

// The same view of something else.
Value rebase(ir::Graph& graph, Value value, Value base) {
    if (!is_move(value)) return base;
    const Value input[] = {rebase(graph, value->inputs[0], base)};
    return graph.make(value->op, input, value->attributes, value->dtype, value->shape);
}

Value copy_of(ir::Graph& graph, Value value, int owner) {
    ir::Attributes attributes;
    attributes.dtype = value->dtype;
    attributes.ints.push_back(owner);
    const Value input[] = {value};
    return graph.make(Op::cast, input, std::move(attributes), value->dtype, value->shape);
}

}  // namespace

bool is_copy(Value value) { return value->op == Op::cast && !value->attributes.ints.empty(); }

void protect_shared(ir::Graph& graph) {
    std::unordered_map<int, int> count;
    for (const int owner : graph.owners()) ++count[owner];
    std::vector<Value> outputs = graph.outputs();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const int owner = graph.owners()[i];
        if (owner < 0 || count[owner] < 2) continue;
        outputs[i] = rebase(graph, outputs[i], copy_of(graph, base_of(outputs[i]), owner));
    }
    graph.set_outputs(std::move(outputs), graph.owners());
}

void separate(ir::Graph& graph) {
    std::unordered_map<Value, int> taken;           // by the owner whose memory it is
    std::unordered_map<Value, Value> base_instead;  // of a protected copy
    std::vector<Value> outputs = graph.outputs();
    const auto take = [&](Value base, int owner) {
        if (base->op == Op::parameter) return false;
        return taken.emplace(base, owner).first->second == owner;
    };
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const int owner = graph.owners()[i];
        if (owner < 0) continue;
        const Value base = base_of(outputs[i]);
        const auto known = base_instead.find(base);
        Value lies_in = known != base_instead.end() ? known->second : base;
        if (known == base_instead.end()) {
            const bool copies = is_copy(base) && base->attributes.ints[0] == owner;
            const Value inner = copies ? base->inputs[0] : base;
            if (!is_move(inner) && take(inner, owner)) lies_in = inner;
            else lies_in = copies ? base : copy_of(graph, base, owner);
            taken.emplace(lies_in, owner);
            if (copies) base_instead.emplace(base, lies_in);
        }
        if (lies_in != base) outputs[i] = rebase(graph, outputs[i], lies_in);
    }
    graph.set_outputs(std::move(outputs), graph.owners());
}

}  // namespace fastnp::pass
