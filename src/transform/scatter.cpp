// Derivatives of scatters that combine (numpy.ufunc.at): each row of the result is its row of x combined with all given rows of its index, in their order.
#include "transform/scatter.h"

#include <string>

#include "fastnp/error.h"
#include "ops/catalogue.h"
#include "transform/turns.h"

namespace fastnp::transform {

using api::Dim;
using api::Dims;

namespace {

constexpr std::size_t rows_axis = 0;

array combined(Op op, const array& x, const array& indices, const array& given) {
    ir::Attributes attributes;
    attributes.ints = {static_cast<std::int64_t>(op)};
    const array operands[] = {x, indices, given};
    return api::apply(Op::scatter, attributes, operands);
}

// A flag for each given row, as one that goes with its elements.
array flags(array rows, const array& like) {
    while (rows.ndim() < like.ndim()) rows = expand_dims(rows, -1);
    return rows;
}

// Of rows that are sorted by index: the product of the earlier ones with the same index, by Hillis and Steele's scan within them.
array products_before_of(const array& index, const array& rows) {
    const std::int64_t count = fixed(api::dims_of(rows)[rows_axis]);
    if (count == 0) return rows;
    const auto is_same = [&](std::int64_t by) { return flags(index == shifted(index, rows_axis, by, -1), rows); };
    array product = where(is_same(1), shifted(rows, rows_axis, 1, 1), 1);
    // product[k] is of up to d rows before k; another d of them lie before row k - d.
    for (std::int64_t d = 1; d < count; d *= 2) product = where(is_same(d), product * shifted(product, rows_axis, d, 1), product);
    return product;
}

// For each given row, the product of the others with its index; nothing is divided by, so zeros are right, and derivatives of it, too.
array products_of_other_rows(const array& indices, const array& given, Dim length) {
    const Dim count = api::arithmetic().product(api::dims_of(indices));
    const Dims shape = api::dims_of(given);
    Dims flat{count};
    for (std::size_t i = static_cast<std::size_t>(indices.ndim()); i < shape.size(); ++i) flat.push_back(shape[i]);
    const array index = take(api::iota({length}, 0), api::flatten(indices), 0);  // none is negative
    const array order = argsort(index, 0, true);
    const array sorted = take(index, order, 0), rows = take(api::reshape(given, flat), order, 0);
    const array before = products_before_of(sorted, rows);
    const array after = flip(products_before_of(flip(sorted, 0), flip(rows, 0)), 0);
    return api::reshape(take(before * after, argsort(order, 0, true), 0), shape);
}

// How the result's change is shared among a row of x and the given ones that are equal to it.
struct Ties {
    array of_x, of_given, count;

    explicit Ties(const ir::Node& node)
        : of_x(array_of(node.inputs[0]) == result(node)), of_given(array_of(node.inputs[2]) == take(result(node), array_of(node.inputs[1]), 0)) {
        count = combined(Op::add, api::cast(of_x, node.dtype), array_of(node.inputs[1]), api::cast(of_given, node.dtype));
    }

    static array result(const ir::Node& node) { return array_of(&node); }
};

bool chooses(Op op) { return op == Op::maximum || op == Op::minimum || op == Op::fmax || op == Op::fmin; }

Op combine_of(const ir::Node& node) { return static_cast<Op>(node.attributes.ints[0]); }

bool is_known(Op op) { return op == Op::add || op == Op::subtract || op == Op::multiply || op == Op::divide || chooses(op); }

// The same as a loop over the given rows, whose derivative is known where the op's is: the loop itself, whose first array is the result.
Value as_loop(const ir::Node& node) {
    const array indices = array_of(node.inputs[1]);
    const Dim count = api::arithmetic().product(api::dims_of(indices));
    Dims lines{count};
    for (std::size_t i = 1; i < node.shape.size(); ++i) lines.push_back(node.shape[i]);
    const Operand states[] = {{array_of(node.inputs[0])}};
    const Operand parts[] = {{api::flatten(indices)}, {api::reshape(array_of(node.inputs[2]), lines)}};
    const auto turn = [op = combine_of(node)](std::span<const array> state, std::span<const array> part) {
        const fastnp::Operand row(take(state[0], part[0], 0)), given(part[1]);
        const fastnp::Operand* both[] = {&row, &given};
        set_at(state[0], {part[0]}, api::ufunc(op, both));
        return detail::TurnResult{{state[0]}, {}};
    };
    return value_of(record_loop({count}, states, parts, turn).states[0])->inputs[0];
}

// Of a loop's operands x, indices and given rows.
std::optional<array> cotangent_by_turns(const ir::Node& node, const array& g, std::size_t of) {
    const Value loop = as_loop(node);
    std::vector<bool> wanted(loop->inputs.size(), false);
    wanted[of] = true;
    return pull_back_loop(*loop, {{0, g}}, wanted)[of];
}

array tangent_by_turns(const ir::Node& node, const array& of_x, const array& of_given) {
    const Value loop = as_loop(node);
    std::vector<std::optional<array>> tangents(loop->inputs.size());
    tangents[0] = of_x;
    tangents[2] = api::reshape(of_given, loop->inputs[2]->shape);
    const std::optional<array> tangent = push_forward_loop(*loop, tangents)[0];
    return tangent ? *tangent : zeros_of(&node);
}

}  // namespace

array combined_tangent(const ir::Node& node, const array& of_x, const array& of_given) {
    const array x = array_of(node.inputs[0]), indices = array_of(node.inputs[1]), given = array_of(node.inputs[2]);
    const Op op = combine_of(node);
    if (op == Op::add || op == Op::subtract) return combined(op, of_x, indices, of_given);
    if (op == Op::multiply) {
        const array change = of_given * products_of_other_rows(indices, given, node.shape[0]) * take(x, indices, 0);
        return combined(Op::add, combined(op, of_x, indices, given), indices, change);
    }
    if (op == Op::divide) {
        return combined(Op::subtract, combined(op, of_x, indices, given), indices, of_given * take(array_of(&node), indices, 0) / given);
    }
    if (!is_known(op)) return tangent_by_turns(node, of_x, of_given);
    const Ties ties(node);
    return combined(Op::add, where(ties.of_x, of_x, 0), indices, where(ties.of_given, of_given, 0)) / ties.count;
}

array combined_cotangent_of_x(const ir::Node& node, const array& g) {
    const Op op = combine_of(node);
    if (op == Op::add || op == Op::subtract) return g;
    if (op == Op::multiply || op == Op::divide) return combined(op, g, array_of(node.inputs[1]), array_of(node.inputs[2]));
    if (!is_known(op)) return cotangent_by_turns(node, g, 0).value_or(zeros_of(node.inputs[0]));
    const Ties ties(node);
    return where(ties.of_x, g / ties.count, 0);
}

array combined_cotangent_of_given(const ir::Node& node, const array& g) {
    const array indices = array_of(node.inputs[1]), given = array_of(node.inputs[2]);
    const auto picked = [&](const array& rows) { return take(rows, indices, 0); };
    switch (const Op op = combine_of(node)) {
        case Op::add: return picked(g);
        case Op::subtract: return -picked(g);
        case Op::multiply: return picked(g * array_of(node.inputs[0])) * products_of_other_rows(indices, given, node.shape[0]);
        case Op::divide: return -(picked(g * array_of(&node)) / given);
        default: {
            if (!is_known(op)) {
                const std::optional<array> change = cotangent_by_turns(node, g, 2);
                return change ? api::reshape(*change, node.inputs[2]->shape) : zeros_of(node.inputs[2]);
            }
            const Ties ties(node);
            return where(ties.of_given, picked(g / ties.count), 0);
        }
    }
}

}  // namespace fastnp::transform
