// Shapes: broadcasting, axes and reshapes, with NumPy's errors. Sizes may be symbolic; every decision is then guarded.
#include <algorithm>

#include "fastnp/error.h"
#include "ops/infer.h"
#include "shape/arithmetic.h"

namespace fastnp::ops {

using shape::Arithmetic;
using shape::Dim;
using shape::Dims;
using shape::Sizes;

namespace {

std::string tuple_text(const Dims& shape, Sizes* sizes, const char* separator) {
    std::string result = "(";
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (i != 0) result += separator;
        result += Arithmetic(sizes).told(shape[i]);
    }
    return result + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace

std::string shape_text(const Dims& shape, Sizes* sizes) { return tuple_text(shape, sizes, ", "); }
std::string compact_text(const Dims& shape, Sizes* sizes) { return tuple_text(shape, sizes, ","); }

namespace {

[[noreturn]] void throw_no_broadcast(std::span<const Dims> shapes, Sizes* sizes) {
    std::string text = "operands could not be broadcast together with shapes ";
    for (const Dims& shape : shapes) text += compact_text(shape, sizes) + " ";
    throw ValueError(text);
}

// The size that the sizes of one axis give, -1 where they do not fit. Numbers are preferred over symbols, and symbols of one
// value are tied together, so that the fewest conditions are noted.
bool broadcast_axis(std::span<const Dims> shapes, std::size_t from_end, const Arithmetic& sizes, Dim& result) {
    const auto size_of = [&](const Dims& shape) { return from_end < shape.size() ? shape[shape.size() - 1 - from_end] : Dim(1); };
    result = Dim(1);
    for (const Dims& shape : shapes) {
        const Dim dim = size_of(shape);
        if (dim == Dim(1) || dim == result) continue;
        const bool better = result == Dim(1) || sizes.hint(result) == 1 || (dim.is_constant() && !result.is_constant() && sizes.hint(dim) != 1);
        if (better) result = dim;
    }
    if (result == Dim(1)) return true;
    const bool all_ones = sizes.hint(result) == 1;
    for (const Dims& shape : shapes) {
        const Dim dim = size_of(shape);
        if (dim == Dim(1) || dim == result) continue;
        const Dim wanted = !all_ones && sizes.hint(dim) == 1 ? Dim(1) : result;
        if (sizes.equal(dim, wanted)) continue;
        // Sizes of 1 would have fitted; the function may go on after the error.
        sizes.equal(dim, Dim(1));
        sizes.equal(result, Dim(1));
        return false;
    }
    return true;
}

}  // namespace

Dims broadcast(std::span<const Dims> shapes, Sizes* table) {
    const Arithmetic sizes(table);
    std::size_t rank = 0;
    for (const Dims& shape : shapes) rank = std::max(rank, shape.size());
    Dims result(rank);
    for (std::size_t i = 0; i < rank; ++i) {
        if (!broadcast_axis(shapes, i, sizes, result[rank - 1 - i])) throw_no_broadcast(shapes, table);
    }
    return result;
}

Dims broadcast_stacks(const Dims& x, const Dims& y, const Dims& core, Sizes* sizes) {
    const Dims stacks[] = {Dims(x.begin(), x.end() - 2), Dims(y.begin(), y.end() - 2)};
    try {
        return broadcast(stacks, sizes);
    } catch (const ValueError&) {
        std::string text = "operands could not be broadcast together with remapped shapes [original->remapped]: ";
        for (std::size_t i = 0; i < 2; ++i) {
            std::string stack = compact_text(stacks[i], sizes);
            stack.pop_back();
            if (stack.size() > 1 && stack.back() != ',') stack += ",";
            text += compact_text(i == 0 ? x : y, sizes) + "->" + stack + "newaxis,newaxis) ";
        }
        throw ValueError(text + " and requested shape " + compact_text(core, sizes));
    }
}

int normalize_axis(std::int64_t axis, int rank) {
    if (axis < -rank || axis >= rank) {
        throw AxisError("axis " + std::to_string(axis) + " is out of bounds for array of dimension " + std::to_string(rank));
    }
    return static_cast<int>(axis < 0 ? axis + rank : axis);
}

SmallVector<std::int64_t> normalize_axes(std::span<const std::int64_t> axes, int rank) {
    SmallVector<std::int64_t> result;
    for (const std::int64_t axis : axes) {
        const int place = normalize_axis(axis, rank);
        if (std::find(result.begin(), result.end(), place) != result.end()) throw ValueError("duplicate value in 'axis'");
        result.push_back(place);
    }
    return result;
}

namespace {

// NumPy prints a size that was left open by its place: "(4)" for (-1, 4), "(4,newaxis)" for (4, -1).
std::string wanted_text(const Dims& to, Sizes* sizes, bool open) {
    if (!open) return compact_text(to, sizes);
    std::string result;
    for (const Dim dim : to) {
        const bool is_open = dim == Dim(-1);
        if (is_open && result.empty()) continue;
        result += result.empty() ? "" : ",";
        result += is_open ? "newaxis" : Arithmetic(sizes).told(dim);
    }
    return "(" + result + ")";
}

}  // namespace

Dims reshaped(const Dims& from, Dims to, Sizes* table) {
    const Arithmetic sizes(table);
    std::size_t open = to.size();
    for (std::size_t i = 0; i < to.size(); ++i) {
        if (!to[i].is_constant() || to[i].value() >= 0) continue;
        if (open != to.size()) throw ValueError("can only specify one unknown dimension");
        open = i;
        to[i] = Dim(-1);
    }
    const Dim count = sizes.product(from);
    const auto fail = [&]() {
        throw ValueError("cannot reshape array of size " + sizes.told(count) + " into shape " + wanted_text(to, table, open != to.size()));
    };
    if (open == to.size()) {
        if (!sizes.equal(count, sizes.product(to))) fail();
        return to;
    }
    Dim known(1);
    for (std::size_t i = 0; i < to.size(); ++i) {
        if (i != open) known = sizes.multiply(known, to[i]);
    }
    if (sizes.equal(known, Dim(0))) fail();
    const Dim rest = sizes.divide(count, known);
    if (!sizes.equal(sizes.multiply(rest, known), count)) fail();
    to[open] = rest;
    return to;
}

}  // namespace fastnp::ops
