// Derivatives of collectives. What all ranks see has a cotangent from each of them: these are summed. Sums, moves between ranks and their transposes are
// linear, and each other's: all_gather and reduce_scatter, all_to_all and itself, permute and its inverse.
#include "ops/collective.h"
#include "fastnp/error.h"
#include "transform/forward.h"
#include "transform/reverse.h"

namespace fastnp::transform {

using ops::Collective;

namespace {

// One among the ranks of another one.
array among(Value value, Op op, const AxisList& options, std::span<const array> operands) {
    ir::Attributes attributes;
    attributes.ints = Collective::ints(Collective(value->attributes).group(), Collective(value->attributes).ranks());
    for (const std::int64_t each : options) attributes.ints.push_back(each);
    return api::apply(op, attributes, operands);
}

array gathered(Value value, const array& x) { return among(value, Op::all_gather, {}, {&x, 1}); }
array summed(Value value, const array& x, Op op = Op::all_reduce) { return among(value, op, {static_cast<std::int64_t>(Op::add)}, {&x, 1}); }
array rank_in(Value value) { return among(value, Op::rank, {}, {}); }

Op joins(Value value) { return Collective(value->attributes).joins(); }
bool is_extreme(Value value) { return joins(value) == Op::minimum || joins(value) == Op::maximum; }

// Of each rank's element: the product of the others'.
array products_of_other_ranks(Value value, const array& x) { return take(products_of_others(gathered(value, x), {0}), rank_in(value), 0); }

// Which ranks have the extreme, as a share of it.
array share_of_extreme(Value value, const array& x, const array& extreme, Dtype dtype) {
    const array chosen = api::cast(x == extreme, dtype);
    return chosen / summed(value, chosen);
}

AxisList inverse_of(const Collective& permutation) {
    AxisList back;
    for (std::size_t rank = 0; rank < permutation.option_count(); ++rank) back.push_back(permutation.source_of(static_cast<int>(rank)));
    return back;
}

}  // namespace

array Forward::of_collective(Value value) const {
    const Value input = value->inputs[0];
    const bool joined = value->op == Op::all_reduce || value->op == Op::reduce_scatter;
    if (!joined || joins(value) == Op::add) return same_op(value);
    if (value->op == Op::reduce_scatter) throw_no_derivative(*value);
    if (is_extreme(value)) return summed(value, tangent(input) * share_of_extreme(value, array_of(input), array_of(value), value->dtype));
    if (joins(value) != Op::multiply) throw_no_derivative(*value);
    return summed(value, tangent(input) * products_of_other_ranks(value, array_of(input)));
}

void Reverse::pass_collective(Value value, const array& g) {
    if (value->op == Op::rank) return;
    const Value input = value->inputs[0];
    switch (value->op) {
        case Op::all_reduce: {
            const array total = summed(value, g);
            if (joins(value) == Op::add) return add(input, total);
            if (is_extreme(value)) return add(input, total * share_of_extreme(value, array_of(input), array_of(value), g.dtype()));
            if (joins(value) == Op::multiply) return add(input, total * products_of_other_ranks(value, array_of(input)));
            break;
        }
        case Op::all_gather: return add(input, summed(value, g, Op::reduce_scatter));
        case Op::reduce_scatter:
            if (joins(value) == Op::add) return add(input, gathered(value, g));
            break;
        case Op::broadcast: return add(input, where(rank_in(value) == Scalar(Collective(value->attributes).option(0)), summed(value, g), 0));
        case Op::all_to_all: return add(input, among(value, Op::all_to_all, {}, {&g, 1}));
        case Op::permute: return add(input, among(value, Op::permute, inverse_of(Collective(value->attributes)), {&g, 1}));
        default: break;
    }
    throw_no_derivative(*value);
}

}  // namespace fastnp::transform
