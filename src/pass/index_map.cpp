#include "pass/index_map.h"

#include "fastnp/error.h"

namespace fastnp::pass {

using ir::Op;
using shape::Dim;
using shape::Dims;

IndexMap identity_map(std::size_t rank) {
    IndexMap map;
    for (std::size_t i = 0; i < rank; ++i) map.push_back({static_cast<int>(i), 1, 0});
    return map;
}

namespace {

bool is_one(Dim dim) { return dim == Dim(1); }

// A reshape that only adds or drops axes of size 1: for each operand axis the result's, or -1.
std::optional<SmallVector<int>> matched_axes(const Dims& operand, const Dims& result) {
    SmallVector<int> match;
    std::size_t at = 0;
    for (const Dim dim : operand) {
        if (is_one(dim)) {
            match.push_back(-1);
            continue;
        }
        while (at < result.size() && is_one(result[at])) ++at;
        if (at == result.size() || !(result[at] == dim)) return std::nullopt;
        match.push_back(static_cast<int>(at++));
    }
    while (at < result.size() && is_one(result[at])) ++at;
    if (at != result.size()) return std::nullopt;
    return match;
}

bool contains(const SmallVector<std::int64_t>& axes, std::size_t axis) {
    for (const std::int64_t each : axes) {
        if (each == static_cast<std::int64_t>(axis)) return true;
    }
    return false;
}

}  // namespace

std::optional<IndexMap> through(const ir::Node& move, const IndexMap& result, shape::Sizes& sizes) {
    const ir::Node& operand = *move.inputs[0];
    const std::size_t rank = operand.shape.size();
    IndexMap map(rank);
    switch (move.op) {
        case Op::transpose:
            for (std::size_t i = 0; i < rank; ++i) map[static_cast<std::size_t>(move.attributes.ints[i])] = result[i];
            return map;
        case Op::broadcast_to: {
            const std::size_t lead = move.shape.size() - rank;
            for (std::size_t i = 0; i < rank; ++i) {
                const bool repeated = is_one(operand.shape[i]) && !is_one(move.shape[i + lead]);
                map[i] = repeated ? Index{} : result[i + lead];
            }
            return map;
        }
        case Op::slice:
            for (std::size_t i = 0; i < rank; ++i) {
                const std::int64_t step = move.attributes.ints[i];
                map[i] = {result[i].axis, result[i].step * step, sizes.add(move.attributes.dims[i], sizes.multiply(result[i].offset, Dim(step)))};
            }
            return map;
        case Op::expand_dims:
            for (std::size_t i = 0, at = 0; i < result.size(); ++i) {
                if (!contains(move.attributes.ints, i)) map[at++] = result[i];
            }
            return map;
        case Op::squeeze:
            for (std::size_t i = 0, at = 0; i < rank; ++i) map[i] = contains(move.attributes.ints, i) ? Index{} : result[at++];
            return map;
        case Op::reshape: {
            const auto match = matched_axes(operand.shape, move.shape);
            if (!match) return std::nullopt;
            for (std::size_t i = 0; i < rank; ++i) map[i] = (*match)[i] < 0 ? Index{} : result[static_cast<std::size_t>((*match)[i])];
            return map;
        }
        default: throw InternalError("not a move");
    }
}

Dims contiguous_strides(const Dims& shape, Dtype dtype, shape::Sizes& sizes) {
    Dims strides(shape.size());
    Dim step(static_cast<std::int64_t>(itemsize_of(dtype)));
    for (std::size_t i = shape.size(); i-- > 0;) {
        strides[i] = step;
        step = sizes.multiply(step, shape[i]);
    }
    return strides;
}

bool is_contiguous(const Dims& shape, const Dims& strides, Dtype dtype, shape::Sizes& sizes) {
    const Dims wanted = contiguous_strides(shape, dtype, sizes);
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (!is_one(shape[i]) && !(strides[i] == wanted[i])) return false;
    }
    return true;
}

std::optional<Storage> view(const ir::Node& move, const Storage& operand, shape::Sizes& sizes) {
    const ir::Node& source = *move.inputs[0];
    if (const auto map = through(move, identity_map(move.shape.size()), sizes)) {
        Storage result{operand.base, operand.offset, Dims(move.shape.size(), Dim(0))};
        for (std::size_t i = 0; i < map->size(); ++i) {
            const Index& index = (*map)[i];
            result.offset = sizes.add(result.offset, sizes.multiply(index.offset, operand.strides[i]));
            if (index.axis >= 0) result.strides[static_cast<std::size_t>(index.axis)] = sizes.multiply(Dim(index.step), operand.strides[i]);
        }
        return result;
    }
    if (!is_contiguous(source.shape, operand.strides, source.dtype, sizes)) return std::nullopt;
    return Storage{operand.base, operand.offset, contiguous_strides(move.shape, move.dtype, sizes)};
}

}  // namespace fastnp::pass
