#include "pass/loops.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace fastnp::pass {

using ir::Looped;
using ir::Op;
using ir::Value;

namespace {

const ir::Body& body_of(const ir::Graph& graph, Value loop) { return *graph.bodies()[static_cast<std::size_t>(Looped(loop->attributes.ints).body)]; }

bool same_begin(const SmallVector<Value, 3>& a, std::size_t from_a, const SmallVector<Value, 3>& b, std::size_t from_b, int count) {
    const auto places = static_cast<std::size_t>(count);
    return a.size() >= from_a + places && b.size() >= from_b + places && std::equal(a.begin() + from_a, a.begin() + from_a + places, b.begin() + from_b);
}

// Whether the turns of `other` include those of `loop`, on the same operands.
bool covers(const ir::Graph& graph, Value other, Value loop) {
    const Looped a(loop->attributes.ints), b(other->attributes.ints);
    if (a.backward != b.backward || a.is_while != b.is_while || !(loop->attributes.dims == other->attributes.dims)) return false;
    if (a.body == b.body) return a.save_every == 0 && b.save_every != 0 && loop->inputs == other->inputs;
    const ir::Body &own = body_of(graph, loop), &its = body_of(graph, other);
    return b.covers == a.body && (a.save_every == 0 || a.save_every == b.save_every) && same_begin(loop->inputs, 0, other->inputs, 0, own.states) &&
           same_begin(loop->inputs, static_cast<std::size_t>(own.states), other->inputs, static_cast<std::size_t>(its.states), own.parts);
}

}  // namespace

std::unordered_map<Value, Value> covered_loops(const ir::Graph& graph, std::span<const Value> values) {
    std::unordered_map<Value, Value> found;
    std::vector<Value> loops;
    for (const Value value : values) {
        if (value->op == Op::loop) loops.push_back(value);
    }
    const auto depends_on = [&](Value value, Value target) {
        std::vector<Value> open{value};
        std::unordered_set<Value> seen;
        while (!open.empty()) {
            const Value at = open.back();
            open.pop_back();
            if (at == target) return true;
            if (!seen.insert(at).second) continue;
            open.insert(open.end(), at->inputs.begin(), at->inputs.end());
            if (const auto other = found.find(at); other != found.end()) open.push_back(other->second);
        }
        return false;
    };
    for (const Value loop : loops) {
        for (const Value other : loops) {
            if (other == loop || !covers(graph, other, loop) || depends_on(other, loop)) continue;
            found.emplace(loop, other);
            break;
        }
    }
    return found;
}

std::int64_t covering_number(const ir::Graph& graph, Value loop, Value other, std::int64_t number) {
    const ir::Body &own = body_of(graph, loop), &its = body_of(graph, other);
    if (number < own.states) return number;
    if (number < own.states + own.collected) return number - own.states + its.states;
    return number - own.states - own.collected + its.states + its.collected;
}

}  // namespace fastnp::pass
