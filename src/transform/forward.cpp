#include "transform/forward.h"

#include <algorithm>

#include "fastnp/error.h"
#include "ops/catalogue.h"
#include "ops/moves.h"
#include "transform/accumulate.h"
#include "transform/custom.h"
#include "transform/scatter.h"
#include "transform/turns.h"

namespace fastnp::transform {

using ops::Kind;

array Forward::tangent(Value value) const {
    const auto found = tangents_.find(value);
    return found == tangents_.end() ? zeros_of(value) : found->second;
}

void Forward::run() {
    for (const Value value : segment_.values()) {
        if (segment_.starts_at(value) || (!is_inexact(value->dtype) && value->op != Op::loop)) continue;
        bool any = false;
        for (const Value input : value->inputs) any = any || moves(input);
        if (value->op == Op::after) any = loops_.contains(value->inputs[0]);
        if (value->op == Op::given)
            any = std::any_of(value->inputs[0]->inputs.begin(), value->inputs[0]->inputs.end(), [&](Value each) { return moves(each); });
        if (!any) continue;
        const trace::Recorder::OfLine line(recorder(), value);
        if (auto change = of(value)) tangents_.emplace(value, converted(*change, value->dtype));
    }
}

// A linear op changes as it computes.
array Forward::same_op(Value value) const {
    std::vector<array> operands;
    for (const Value input : value->inputs) operands.push_back(tangent(input));
    return array_of(value_of(api::apply(value->op, value->attributes, operands)));
}

std::optional<array> Forward::of(Value value) {
    if (value->op == Op::loop) {
        std::vector<std::optional<array>> tangents;
        for (const Value input : value->inputs) tangents.push_back(moves(input) ? std::optional(tangent(input)) : std::nullopt);
        loops_.emplace(value, push_forward_loop(*value, tangents));
        return std::nullopt;
    }
    if (value->op == Op::after) return loops_.at(value->inputs[0])[static_cast<std::size_t>(value->attributes.ints[0])];
    switch (ops::info(value->op).kind) {
        case Kind::map: return of_map(value);
        case Kind::fold: return of_fold(value);
        case Kind::scan: return of_scan(value);
        case Kind::move: return same_op(value);
        case Kind::pick: return of_pick(value);
        case Kind::contract: return of_product(value);
        case Kind::collective: return of_collective(value);
        case Kind::library:
            if (!ops::is_fourier(value->op)) throw_no_derivative(*value);  // functions over them have one
            return same_op(value);
        case Kind::note:
            if (value->op == Op::stop_gradient) return std::nullopt;
            return value->op == Op::custom ? of_custom(value) : tangent(value->inputs[0]);
        case Kind::argfold:
        case Kind::make: break;
    }
    return std::nullopt;
}

std::optional<array> Forward::of_map(Value value) const {
    if (value->op == Op::cast) return tangent(value->inputs[0]);
    if (value->op == Op::select) return where(array_of(value->inputs[0]), tangent(value->inputs[1]), tangent(value->inputs[2]));
    if (is_complex(value->inputs[0]->dtype)) {
        if (auto change = of_complex(value)) return change;
    }
    std::optional<array> total;
    for (std::size_t i = 0; i < value->inputs.size(); ++i) {
        if (!moves(value->inputs[i])) continue;
        if (const auto change = partial(*value, i, tangent(value->inputs[i]))) total = total ? *total + *change : *change;
    }
    return total;
}

// Of functions that are none of the complex number alone but of its parts.
std::optional<array> Forward::of_complex(Value value) const {
    const array x = array_of(value->inputs[0]), t = tangent(value->inputs[0]);
    switch (value->op) {
        case Op::absolute: return real(conjugate(sign(x)) * t);
        case Op::sign: {
            const array size = absolute(x), r = array_of(value);
            return where(size == 0, 0, (t - r * real(conjugate(r) * t)) / where(size == 0, 1, size));
        }
        case Op::real: return real(t);
        case Op::imag: return imag(t);
        default: return std::nullopt;
    }
}

array Forward::of_fold(Value value) const {
    const Value input = value->inputs[0];
    const auto& axes = value->attributes.ints;
    if (value->op == Op::sum) return same_op(value);
    if (value->op == Op::prod) return api::fold(Op::sum, tangent(input) * products_of_others(array_of(input), axes), span_of(axes));
    if (!chooses_extremes(value->op)) throw_no_derivative(*value);
    const array chosen = array_of(input) == spread(array_of(value), input, axes);
    const array count = api::fold(Op::sum, api::cast(chosen, value->dtype), span_of(axes));
    return api::fold(Op::sum, where(chosen, tangent(input), 0), span_of(axes)) / count;
}

array Forward::of_scan(Value value) const {
    if (value->op == Op::cumsum) return same_op(value);
    if (value->op == Op::accumulate) return accumulated_tangent(*value, tangent(value->inputs[0]));
    const auto axis = static_cast<std::size_t>(value->attributes.ints[0]);
    if (api::arithmetic().equal(value->shape[axis], shape::Dim(0))) return zeros_of(value);
    // d[k] = x[k] d[k-1] + (the product before k) t[k]
    const array x = array_of(value->inputs[0]);
    return recurrence(x, products_before(x, axis) * tangent(value->inputs[0]), axis);
}

array Forward::of_pick(Value value) const {
    switch (value->op) {
        case Op::concatenate:
        case Op::pad: return same_op(value);
        case Op::update: {
            const array changed = array_of(value_of(tangent(value->inputs[0])));
            api::assign(region_of(changed, *value), tangent(value->inputs[1]));
            return changed;
        }
        case Op::take: {
            const array operands[] = {tangent(value->inputs[0]), array_of(value->inputs[1])};
            return api::apply(Op::take, value->attributes, operands);
        }
        case Op::across: {
            const std::int64_t axis = value->attributes.ints[0];
            if (static_cast<Op>(value->attributes.ints[1]) == Op::sum) return same_op(value);
            const array chosen = array_of(value->inputs[0]) == array_of(value);
            const array count = across(api::cast(chosen, value->dtype), axis, Op::sum);
            return across(where(chosen, tangent(value->inputs[0]), 0), axis, Op::sum) / count;
        }
        case Op::scatter: return of_scatter(value);
        case Op::sort: {
            const auto axis = static_cast<int>(value->attributes.ints[0]);
            const array order = argsort(array_of(value->inputs[0]), axis, true);
            return part_of_lines(*value, take_along(tangent(value->inputs[0]), order, static_cast<std::size_t>(axis)));
        }
        default: throw_no_derivative(*value);
    }
}

array Forward::of_scatter(Value value) const {
    if (value->attributes.ints[0] != -1) return combined_tangent(*value, tangent(value->inputs[0]), tangent(value->inputs[2]));
    const array operands[] = {tangent(value->inputs[0]), array_of(value->inputs[1]), tangent(value->inputs[2])};
    return api::apply(Op::scatter, value->attributes, operands);
}

array Forward::of_product(Value value) const {
    const Value x = value->inputs[0], y = value->inputs[1];
    if (!moves(y)) return matmul(tangent(x), array_of(y));
    const array right = matmul(array_of(x), tangent(y));
    return moves(x) ? matmul(tangent(x), array_of(y)) + right : right;
}

std::optional<array> Forward::of_custom(Value value) {
    const Custom& custom = custom_of(recorder(), *value);
    if (!custom.forward) throw TypeError(custom.name + " has a custom_vjp, and no derivative for forward mode (jvp); use custom_jvp");
    auto [known, is_new] = customs_.try_emplace(value->attributes.ints[0]);
    if (is_new) {
        std::vector<array> operands, results, changes;
        for (std::size_t i = 1; i < value->inputs.size(); ++i) {
            operands.push_back(array_of(value->inputs[i]));
            changes.push_back(tangent(value->inputs[i]));
        }
        for (const Value result : custom.results) results.push_back(array_of(result));
        known->second = custom.forward(operands, results, changes);
    }
    return known->second[static_cast<std::size_t>(value->attributes.ints[1])];
}

}  // namespace fastnp::transform
