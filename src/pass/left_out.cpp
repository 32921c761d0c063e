#include "pass/left_out.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "ops/catalogue.h"

namespace fastnp::pass {

namespace {

using ir::Op;

// The number that all elements are, if that is known.
const Scalar* number_of(ir::Value value) {
    while (value->op == Op::broadcast_to || value->op == Op::cast || value->op == Op::reshape || value->op == Op::expand_dims) value = value->inputs[0];
    return value->op == Op::constant ? &value->attributes.scalar : nullptr;
}

// Whether a number decides what an op gives, whatever the other operand is.
bool decides(Op op, const Scalar& number) {
    const bool is_zero = number.real() == 0 && number.imag() == 0;
    switch (op) {
        case Op::bitwise_and:
        case Op::logical_and: return is_zero;
        case Op::bitwise_or:
        case Op::logical_or: return !is_zero;
        case Op::power:
        case Op::float_power: return is_zero;
        default: return std::isnan(number.real()) || std::isnan(number.imag());
    }
}

// Whether all elements of an operand are computed, if all of the node are.
bool reads_all(ir::Value node, std::size_t operand) {
    switch (node->op) {
        case Op::any:  // they may stop early
        case Op::all:
        case Op::slice: return false;
        case Op::take:
        case Op::update:
        case Op::scatter: return operand != 0;
        case Op::select: return operand == 0 || number_of(node->inputs[0]) == nullptr;
        case Op::signbit: return node->inputs[0]->op != Op::absolute && node->inputs[0]->op != Op::square;
        default: break;
    }
    const bool is_pair = ops::info(node->op).kind == ops::Kind::map && node->inputs.size() == 2;
    const Scalar* const other = is_pair ? number_of(node->inputs[1 - operand]) : nullptr;
    return other == nullptr || !decides(node->op, *other);
}

bool leaves_out(const ir::Graph& graph) {
    const std::vector<ir::Value> roots = graph.roots();
    std::unordered_set<ir::Value> whole(roots.begin(), roots.end());
    const auto& nodes = graph.nodes();
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
        if (!whole.contains(&*node)) {
            if (ops::may_have_float_errors(*node)) return true;
            continue;
        }
        for (std::size_t i = 0; i < node->inputs.size(); ++i) {
            if (reads_all(&*node, i)) whole.insert(node->inputs[i]);
        }
    }
    return false;
}

}  // namespace

bool leaves_out_float_errors(const ir::Graph& graph) {
    return leaves_out(graph) || std::ranges::any_of(graph.bodies(), [](const auto& body) { return leaves_out(body->graph); });
}

}  // namespace fastnp::pass
