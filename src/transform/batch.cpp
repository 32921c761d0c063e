#include "transform/batch.h"

#include <algorithm>
#include <string>

#include "fastnp/error.h"
#include "fastnp/transform.h"
#include "ops/catalogue.h"
#include "transform/custom.h"
#include "transform/turns.h"

namespace fastnp::transform {

using api::Dim;
using api::Dims;
using ops::Kind;

namespace {

AxisList moved_on(const AxisList& axes) {
    AxisList result;
    for (const std::int64_t axis : axes) result.push_back(axis + 1);
    return result;
}

}  // namespace

Segment Batch::mapped(std::span<const Value> examples, std::span<const Value> outputs, std::int64_t axis) {
    std::vector<Value> folded, ends(outputs.begin(), outputs.end());
    if (axis >= 0) {
        for (const Value value : ir::reachable(ends)) {
            if (value->op == Op::across && value->attributes.ints[0] == axis) folded.push_back(value);
        }
    }
    while (true) {
        Segment segment(examples, ends, Segment::Of::values, folded);
        const std::size_t before = ends.size();
        for (const Value value : segment.values()) {
            if (value->op != Op::custom) continue;
            for (const Value result : custom_of(recorder(), *value).results) {
                if (!segment.contains(result) && std::find(ends.begin(), ends.end(), result) == ends.end()) ends.push_back(result);
            }
        }
        if (ends.size() == before) return segment;
    }
}

array Batch::parts(Value value) const {
    const auto found = parts_.find(value);
    return found != parts_.end() ? found->second : api::broadcast(array_of(value), with_first(count_, value->shape));
}

void Batch::run() {
    for (const Value value : segment_.values()) {
        if (!varies(value)) parts_.emplace(value, of(value));
    }
}

array Batch::of(Value value) {
    switch (ops::info(value->op).kind) {
        case Kind::map: return of_map(value);
        case Kind::fold:
        case Kind::argfold:
        case Kind::scan: return of_fold(value);
        case Kind::move: return of_move(value);
        case Kind::pick: return of_pick(value);
        case Kind::contract: return of_product(value);
        case Kind::library: return of_library(value);
        case Kind::note: return of_note(value);
        case Kind::collective: return of_collective(value);
        case Kind::make: break;
    }
    throw InternalError("no parts of " + std::string(ops::info(value->op).name));
}

array Batch::of_map(Value value) const {
    std::vector<array> operands;
    for (const Value input : value->inputs) operands.push_back(parts(input));
    return api::apply(value->op, value->attributes, operands);
}

array Batch::of_fold(Value value) const {
    if (value->op == Op::accumulate) {
        ir::Attributes attributes = value->attributes;
        ++attributes.ints[0];
        const array x = parts(value->inputs[0]);
        return api::apply(value->op, attributes, {&x, 1});
    }
    const AxisList axes = moved_on(value->attributes.ints);
    return api::fold(value->op, parts(value->inputs[0]), span_of(axes));
}

array Batch::of_move(Value value) const {
    const array x = parts(value->inputs[0]);
    const ir::Attributes& attributes = value->attributes;
    switch (value->op) {
        case Op::reshape: return api::reshape(x, with_first(count_, value->shape));
        case Op::transpose: return api::permute(x, span_of(with_first(0, moved_on(attributes.ints))));
        case Op::expand_dims: return api::expand(x, span_of(moved_on(attributes.ints)));
        case Op::squeeze: return api::squeeze(x, span_of(moved_on(attributes.ints)));
        case Op::broadcast_to: {
            AxisList fresh;
            for (std::size_t i = value->inputs[0]->shape.size(); i < value->shape.size(); ++i)
                fresh.push_back(static_cast<std::int64_t>(fresh.size()) + 1);
            return api::broadcast(api::expand(x, span_of(fresh)), with_first(count_, value->shape));
        }
        case Op::slice: {
            Dims starts{Dim(0)};
            for (std::size_t i = 0; i < value->shape.size(); ++i) starts.push_back(attributes.dims[i]);
            return api::slice(x, starts, with_first(count_, value->shape), span_of(with_first(1, attributes.ints)));
        }
        default: throw InternalError("no parts of the move " + std::string(ops::info(value->op).name));
    }
}

array Batch::of_pick(Value value) {
    ir::Attributes attributes = value->attributes;
    switch (value->op) {
        case Op::concatenate:
        case Op::sort:
        case Op::argsort: {
            ++attributes.ints[0];
            std::vector<array> operands;
            for (const Value input : value->inputs) operands.push_back(parts(input));
            return api::apply(value->op, attributes, operands);
        }
        case Op::searchsorted: return of_search(value);
        case Op::across: return of_across(value);
        case Op::loop: return of_loop(value);
        case Op::after: return of_after(value);
        case Op::pad: return of_pad(value);
        case Op::take: return of_take(value);
        case Op::scatter: return of_scatter(value);
        case Op::update: return of_update(value);
        case Op::nonzero: throw TypeError("vmap: the shape of an array depends on values that differ from part to part");
        default: break;
    }
    std::string name(ops::info(value->op).name);
    if (value->op == Op::call) name = recorder().graph().calls()[static_cast<std::size_t>(value->attributes.ints[0])].name;
    throw TypeError("vmap: " + name + " can't be mapped over the parts of an array");
}

array Batch::of_loop(Value value) {
    std::vector<std::optional<array>> operands;
    for (const Value input : value->inputs) operands.push_back(varies(input) ? std::optional(parts(input)) : std::nullopt);
    loops_.emplace(value, batch_loop(*value, operands, count_, axis_));
    return api::constant(false, Dtype::bool_);  // a loop itself has no value
}

array Batch::of_after(Value value) const { return loops_.at(value->inputs[0])[static_cast<std::size_t>(value->attributes.ints[0])]; }

array Batch::of_across(Value value) const {
    const array x = parts(value->inputs[0]);
    if (value->attributes.ints[0] != axis_) return across(x, value->attributes.ints[0], static_cast<Op>(value->attributes.ints[1]));
    const std::int64_t first = 0;
    return api::broadcast(api::expand(api::fold(static_cast<Op>(value->attributes.ints[1]), x, {&first, 1}), {&first, 1}),
                          with_first(count_, value->shape));
}

array Batch::of_pad(Value value) const {
    const std::size_t rank = value->shape.size();
    const Value border = value->inputs[1];
    ir::Attributes attributes;
    attributes.dims.push_back(Dim(0));
    for (std::size_t i = 0; i < rank; ++i) attributes.dims.push_back(value->attributes.dims[i]);
    attributes.dims.push_back(Dim(0));
    for (std::size_t i = 0; i < rank; ++i) attributes.dims.push_back(value->attributes.dims[rank + i]);
    const auto padded = [&](const array& x, const array& with) {
        const array operands[] = {x, with};
        return api::apply(Op::pad, attributes, operands);
    };
    const array x = parts(value->inputs[0]);
    if (!varies(border)) return padded(x, array_of(border));
    Dims column{count_};
    for (std::size_t i = 0; i < rank; ++i) column.push_back(Dim(1));
    const array inside = padded(api::constant(true, Dtype::bool_, api::dims_of(x)), api::constant(false, Dtype::bool_));
    return api::select(inside, padded(x, api::constant(0, x.dtype())), api::reshape(parts(border), column));
}

// Indices into the rows of all parts, one after the other.
array Batch::rows(const array& parts, Value indices, Dim length) const {
    Dims column{count_};
    for (std::size_t i = 0; i < indices->shape.size(); ++i) column.push_back(Dim(1));
    // Taken from 0, 1, 2 ..., so that each is within its own part.
    const array own = take(api::iota({length}, 0), parts, 0);
    return own + api::iota(column, 0) * api::extent(length);
}

array Batch::of_take(Value value) const {
    const Value source = value->inputs[0], indices = value->inputs[1];
    const auto axis = static_cast<int>(value->attributes.ints[0]);
    const auto mode = static_cast<TakeMode>(value->attributes.ints[1]);
    if (!varies(indices)) return take(parts(source), array_of(indices), axis + 1, mode);
    if (!varies(source)) return moveaxis(take(array_of(source), parts(indices), axis, mode), axis, 0);
    const Dim length = source->shape[static_cast<std::size_t>(axis)];
    const array moved = moveaxis(parts(source), axis + 1, 1);
    Dims merged = api::dims_of(moved);
    merged.erase(merged.begin());
    merged[0] = api::arithmetic().multiply(count_, length);
    array places = parts(indices);
    if (mode == TakeMode::wrap) places = remainder(places, api::extent(length));
    if (mode == TakeMode::clip) places = minimum(maximum(places, 0), api::extent(length) - 1);
    array taken = take(api::reshape(moved, merged), rows(places, indices, length), 0);
    // count, the indices' axes, the axes before, the axes after  ->  count, before, indices', after
    AxisList order{0};
    const auto many = static_cast<std::int64_t>(indices->shape.size());
    for (std::int64_t i = 0; i < axis; ++i) order.push_back(1 + many + i);
    for (std::int64_t i = 0; i < many; ++i) order.push_back(1 + i);
    for (std::int64_t i = 1 + many + axis; i < taken.ndim(); ++i) order.push_back(i);
    return api::permute(taken, span_of(order));
}

array Batch::of_scatter(Value value) const {
    const Dim length = value->shape[0];
    Dims merged = value->shape;
    merged[0] = api::arithmetic().multiply(count_, length);
    const array operands[] = {api::reshape(parts(value->inputs[0]), merged), rows(parts(value->inputs[1]), value->inputs[1], length),
                              parts(value->inputs[2])};
    return api::reshape(api::apply(Op::scatter, value->attributes, operands), with_first(count_, value->shape));
}

array Batch::of_update(Value value) const {
    const std::size_t rank = value->shape.size();
    const Dims& dims = value->attributes.dims;
    Dims starts{Dim(0)};
    for (std::size_t i = 0; i < rank; ++i) starts.push_back(dims[i]);
    const array whole = array_of(value_of(parts(value->inputs[0])));
    const Dims lengths = with_first(count_, Dims(dims.begin() + rank, dims.end()));
    api::assign(api::slice(whole, starts, lengths, span_of(with_first(1, value->attributes.ints))), parts(value->inputs[1]));
    return array_of(value_of(whole));
}

// One matrix for all parts takes their rows as those of one large matrix.
array Batch::of_product(Value value) const {
    const Value x = value->inputs[0], y = value->inputs[1];
    if (varies(y) || y->shape.size() != 2) return matmul(parts(x), parts(y));
    const Dim many = api::arithmetic().multiply(count_, x->shape[0]);
    return api::reshape(matmul(api::reshape(parts(x), {many, x->shape[1]}), array_of(y)), with_first(count_, value->shape));
}

// The axes before those that the library sees are a stack, which the parts go in front of. One system for all parts takes their right sides side by side.
array Batch::of_library(Value value) const {
    const bool solves = value->op == Op::lu_solve || value->op == Op::triangular_solve;
    if (solves && value->shape.size() == 2 && !varies(value->inputs[0])) {
        const Dim rows = value->shape[0], columns = value->shape[1];
        const array sides = api::reshape(moveaxis(parts(value->inputs[1]), 0, 1), {rows, api::arithmetic().multiply(count_, columns)});
        const array operands[] = {array_of(value->inputs[0]), sides};
        return moveaxis(api::reshape(api::apply(value->op, value->attributes, operands), {rows, count_, columns}), 1, 0);
    }
    std::vector<array> operands;
    for (const Value input : value->inputs) operands.push_back(parts(input));
    return api::apply(value->op, value->attributes, operands);
}

// The first axis is the ranks', and the parts lie behind it.
array Batch::of_collective(Value value) const {
    array x = parts(value->inputs[0]);
    if (value->op == Op::reduce_scatter || value->op == Op::all_to_all) x = moveaxis(x, 0, 1);
    const array made = api::apply(value->op, value->attributes, {&x, 1});
    return value->op == Op::all_gather || value->op == Op::all_to_all ? moveaxis(made, 1, 0) : made;
}

// What is found in one array for all parts is found at once.
array Batch::of_search(Value value) const {
    const Value sorted = value->inputs[0];
    array values = parts(value->inputs[1]);
    const bool is_one = !varies(sorted) && sorted->shape.size() == 1;
    if (is_one) values = api::flatten(values);
    const array operands[] = {is_one ? array_of(sorted) : parts(sorted), values};
    return api::reshape(api::apply(value->op, value->attributes, operands), with_first(count_, value->shape));
}

array Batch::of_note(Value value) {
    if (value->op == Op::stop_gradient) return stop_gradient(parts(value->inputs[0]));
    return value->op == Op::custom ? of_custom(value) : parts(value->inputs[0]);
}

namespace {

// What a rule over one part makes of all of them.
std::vector<array> over_parts(const std::vector<array>& given, const std::function<std::vector<array>(const std::vector<array>& examples)>& rule) {
    std::vector<array> examples;
    std::vector<int> axes(given.size(), 0);
    for (const array& each : given) examples.push_back(detail::example(each, 0));
    return detail::batch(examples, given, axes, rule(examples));
}

}  // namespace

// The derivative of all parts is that of each.
array Batch::of_custom(Value value) {
    auto [known, is_new] = customs_.try_emplace(value->attributes.ints[0]);
    if (!is_new) return known->second[static_cast<std::size_t>(value->attributes.ints[1])];
    const Custom& custom = custom_of(recorder(), *value);
    std::vector<array> operands, results;
    for (std::size_t i = 1; i < value->inputs.size(); ++i) operands.push_back(parts(value->inputs[i]));
    for (const Value result : custom.results) results.push_back(parts(result->inputs[0]));
    detail::CustomDerivative batched{custom.name, nullptr, nullptr};
    using Arrays = std::span<const array>;
    const auto joined = [](Arrays a, Arrays b, Arrays c) {
        std::vector<array> all(a.begin(), a.end());
        all.insert(all.end(), b.begin(), b.end());
        all.insert(all.end(), c.begin(), c.end());
        return all;
    };
    if (custom.reverse) {
        batched.reverse = [rule = custom.reverse, joined](Arrays own, Arrays given, Arrays cotangents) {
            const std::size_t n = own.size(), m = given.size();
            const auto found = over_parts(joined(own, given, cotangents), [&](const std::vector<array>& all) {
                const std::span<const array> view(all);
                std::vector<array> gradients;
                const auto each = rule(view.first(n), view.subspan(n, m), view.subspan(n + m));
                for (std::size_t i = 0; i < n; ++i) gradients.push_back(each[i] ? *each[i] : zeros_of(value_of(all[i])));
                return gradients;
            });
            return std::vector<std::optional<array>>(found.begin(), found.end());
        };
    }
    if (custom.forward) {
        batched.forward = [rule = custom.forward, joined](Arrays own, Arrays given, Arrays tangents) {
            const std::size_t n = own.size(), m = given.size();
            return over_parts(joined(own, given, tangents), [&](const std::vector<array>& all) {
                const std::span<const array> view(all);
                return rule(view.first(n), view.subspan(n, m), view.subspan(n + m));
            });
        };
    }
    known->second = detail::with_derivative(operands, results, std::move(batched));
    return known->second[static_cast<std::size_t>(value->attributes.ints[1])];
}

}  // namespace fastnp::transform
