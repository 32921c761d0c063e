// Derivatives of scatters that combine (numpy.ufunc.at): each row of the result is its row of x combined with all given rows of its index, in their order.
#include "transform/scatter.h"

#include <string>

#include "fastnp/error.h"
#include "ops/catalogue.h"

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

[[noreturn]] void throw_unknown(Op op) { throw TypeError("numpy." + std::string(ops::info(op).name) + ".at has no derivative that is known"); }

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
    if (!chooses(op)) throw_unknown(op);
    const Ties ties(node);
    return combined(Op::add, where(ties.of_x, of_x, 0), indices, where(ties.of_given, of_given, 0)) / ties.count;
}

array combined_cotangent_of_x(const ir::Node& node, const array& g) {
    const Op op = combine_of(node);
    if (op == Op::add || op == Op::subtract) return g;
    if (op == Op::multiply || op == Op::divide) return combined(op, g, array_of(node.inputs[1]), array_of(node.inputs[2]));
    if (!chooses(op)) throw_unknown(op);
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
            if (!chooses(op)) throw_unknown(op);
            const Ties ties(node);
            return where(ties.of_given, picked(g / ties.count), 0);
        }
    }
}

}  // namespace fastnp::transform
