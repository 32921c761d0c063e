#include "pass/index_map.h"

#include <algorithm>

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

// As shape::reshaped, of sizes that may be symbolic; the recording is tied to the comparisons. Arrays without elements are left out.
std::optional<Dims> reshaped_strides(const Dims& from, const Dims& strides, const Dims& to, shape::Sizes& sizes) {
    Dims old_sizes, old_steps;
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (sizes.hint(from[i]) == 0) return std::nullopt;
        if (sizes.equal(from[i], Dim(1))) continue;
        old_sizes.push_back(from[i]);
        old_steps.push_back(strides[i]);
    }
    Dims result(to.size(), Dim(0));
    std::size_t old_begin = 0;
    std::size_t new_begin = 0;
    while (old_begin < old_sizes.size() && new_begin < to.size()) {
        std::size_t old_end = old_begin + 1;
        std::size_t new_end = new_begin + 1;
        Dim old_count = old_sizes[old_begin];
        Dim new_count = to[new_begin];
        while (!sizes.equal(old_count, new_count)) {
            const bool take_new = sizes.hint(new_count) < sizes.hint(old_count);
            if (take_new ? new_end == to.size() : old_end == old_sizes.size()) return std::nullopt;
            if (take_new) new_count = sizes.multiply(new_count, to[new_end++]);
            else old_count = sizes.multiply(old_count, old_sizes[old_end++]);
        }
        for (std::size_t i = old_begin; i + 1 < old_end; ++i) {
            if (!sizes.equal(old_steps[i], sizes.multiply(old_sizes[i + 1], old_steps[i + 1]))) return std::nullopt;
        }
        result[new_end - 1] = old_steps[old_end - 1];
        for (std::size_t i = new_end - 1; i > new_begin; --i) result[i - 1] = sizes.multiply(result[i], to[i]);
        old_begin = old_end;
        new_begin = new_end;
    }
    if (old_begin < old_sizes.size()) return std::nullopt;
    for (std::size_t i = new_begin; i < to.size(); ++i) result[i] = new_begin > 0 ? result[new_begin - 1] : Dim(0);  // trailing axes of size 1
    return result;
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

IndexMap padded_map(const ir::Node& pad, const IndexMap& result, shape::Sizes& sizes) {
    IndexMap map = result;
    for (std::size_t i = 0; i < map.size(); ++i) map[i].offset = sizes.subtract(map[i].offset, pad.attributes.dims[i]);
    return map;
}

TakeMaps taken_maps(const ir::Node& take, const IndexMap& result) {
    const auto axis = static_cast<std::ptrdiff_t>(take.attributes.ints[0]);
    const auto rank = static_cast<std::ptrdiff_t>(take.inputs[1]->shape.size());
    TakeMaps maps;
    for (std::ptrdiff_t i = 0; i < std::ssize(result); ++i) {
        if (i == axis) maps.from.push_back({});
        (i < axis || i >= axis + rank ? maps.from : maps.indices).push_back(result[static_cast<std::size_t>(i)]);
    }
    if (axis == std::ssize(result)) maps.from.push_back({});
    return maps;
}

bool has_no_elements(const Dims& shape, shape::Sizes& sizes) {
    return std::ranges::any_of(shape, [&sizes](const Dim dim) { return sizes.hint(dim) == 0 && sizes.equal(dim, Dim(0)); });
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

Dims strides_in(Layout layout, const Dims& shape, Dtype dtype, shape::Sizes& sizes) {
    constexpr std::int64_t alignment = 64, least = 1024;
    Dims strides = contiguous_strides(shape, dtype, sizes);
    if (layout == Layout::contiguous || shape.size() < 2) return strides;
    const Dim row = strides[shape.size() - 2];
    if (!row.is_constant() || row.value() < least) return strides;
    Dim step((row.value() + alignment - 1) / alignment * alignment);
    for (std::size_t i = shape.size() - 1; i-- > 0;) {
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
        if (move.op != ir::Op::reshape) return result;
        // NumPy gives axes of one element the step past what is behind them.
        Dim step(static_cast<std::int64_t>(itemsize_of(move.dtype)));
        for (std::size_t i = move.shape.size(); i-- > 0; step = sizes.multiply(result.strides[i], move.shape[i])) {
            if (move.shape[i] == Dim(1) && result.strides[i] == Dim(0)) result.strides[i] = step;
        }
        return result;
    }
    if (has_no_elements(source.shape, sizes) || is_contiguous(source.shape, operand.strides, source.dtype, sizes)) {
        return Storage{operand.base, operand.offset, contiguous_strides(move.shape, move.dtype, sizes)};
    }
    auto strides = reshaped_strides(source.shape, operand.strides, move.shape, sizes);
    if (!strides) return std::nullopt;
    return Storage{operand.base, operand.offset, std::move(*strides)};
}

Storage region_of(const ir::Node& update, const Storage& whole, shape::Sizes& sizes) {
    Storage region = whole;
    for (std::size_t i = 0; i < whole.strides.size(); ++i) {
        region.offset = sizes.add(region.offset, sizes.multiply(update.attributes.dims[i], whole.strides[i]));
        region.strides[i] = sizes.multiply(Dim(update.attributes.ints[i]), whole.strides[i]);
    }
    return region;
}

}  // namespace fastnp::pass
