// Concatenations whose parts lie in their places of the whole: what is computed for one alone is stored there at once.
#include <algorithm>

#include "ops/catalogue.h"
#include "pass/roots.h"

namespace fastnp::pass {

using ir::Op;
using ir::Value;
using shape::Dim;
using shape::Dims;

namespace {

// Whether a broadcast is more than another name for the same sizes (a guard may say that two are equal).
bool repeats(const ir::Node& broadcast) {
    const Dims& from = broadcast.inputs[0]->shape;
    bool same = from.size() == broadcast.shape.size();
    for (std::size_t i = 0; same && i < from.size(); ++i) same = from[i] == broadcast.shape[i] || !(from[i] == Dim(1));
    return !same;
}

// Where the operand of a move must lie for the result to lie in a place; nothing where elements would be left out, repeated, or in another order.
std::optional<Storage> place_below(const ir::Node& move, const Storage& place, shape::Sizes& sizes) {
    const ir::Node& operand = *move.inputs[0];
    if (move.op == Op::slice || (move.op == Op::broadcast_to && repeats(move))) return std::nullopt;
    Storage below{place.base, place.offset, Dims(operand.shape.size(), Dim(0))};
    if (const auto map = through(move, identity_map(move.shape.size()), sizes)) {
        for (std::size_t i = 0; i < map->size(); ++i) {
            if ((*map)[i].axis >= 0) below.strides[i] = place.strides[static_cast<std::size_t>((*map)[i].axis)];
        }
        return below;
    }
    if (!is_contiguous(move.shape, place.strides, move.dtype, sizes)) return std::nullopt;
    below.strides = contiguous_strides(operand.shape, operand.dtype, sizes);
    return below;
}

// The bound size after which all of a shape is known.
int stage_of(const Dims& shape, const shape::Sizes& sizes) {
    int stage = 0;
    for (const Dim dim : shape) stage = std::max(stage, sizes.stage(dim));
    return stage;
}

}  // namespace

// What an operand is a view of, if that can be stored where the operand has its place: a kernel computes it, or it is such a concatenation itself, nothing
// else reads it, and the whole has memory by then.
std::optional<std::pair<Value, Storage>> Roots::part_in_place(Value operand, Storage place) const {
    Value part = operand;
    while (!contains(part)) {
        if (ops::info(part->op).kind != ops::Kind::move || uses_.at(part) != 1) return std::nullopt;
        auto below = place_below(*part, place, sizes_);
        if (!below) return std::nullopt;
        place = *std::move(below);
        part = part->inputs[0];
    }
    const bool is_stored = part->op == Op::concatenate || !is_precompiled(part);
    if (!is_stored || part->op == Op::update || uses_.at(part) != 1) return std::nullopt;
    if (stage_of(place.base->shape, sizes_) > stage_of(part->shape, sizes_)) return std::nullopt;
    return std::pair(part, std::move(place));
}

void Roots::count_uses() {
    for (const Value value : order_) {
        for (const Value input : value->inputs) ++uses_[input];
    }
    for (const Value output : graph_.outputs()) ++uses_[output];
}

// A concatenation that is a part comes after the one that it is a part of.
void Roots::join_parts() {
    if (std::ranges::none_of(order_, [](Value value) { return value->op == Op::concatenate; })) return;
    count_uses();
    for (std::size_t i = order_.size(); i-- > 0;) {
        const Value whole = order_[i];
        if (whole->op != Op::concatenate || !contains(whole)) continue;
        const auto axis = static_cast<std::size_t>(whole->attributes.ints[0]);
        Storage place = *resolve(whole);
        std::vector<Value> parts;
        for (const Value operand : whole->inputs) {
            const auto part = part_in_place(operand, place);
            parts.push_back(part ? part->first : nullptr);
            if (part) parts_.insert(*part);
            place.offset = sizes_.add(place.offset, sizes_.multiply(operand->shape[axis], place.strides[axis]));
        }
        if (std::ranges::any_of(parts, [](Value part) { return part != nullptr; })) joined_.emplace(whole, std::move(parts));
    }
}

}  // namespace fastnp::pass
