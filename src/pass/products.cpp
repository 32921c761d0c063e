#include "pass/products.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "ops/moves.h"
#include "pass/index_map.h"

namespace fastnp::pass {

using ir::Op;
using ir::Value;
using shape::Dim;
using shape::Dims;

namespace {

constexpr std::size_t fewest_parts = 3;
constexpr std::int64_t most_rows = 256;             // of a part: from there on a product by itself is as fast
constexpr std::int64_t most_bytes = 64 * 1024 * 1024;  // of all parts, which are there at the same time, and of what they are made of

// What a matrix is a part of: its columns along the last axis, its rows along another one or just one row.
std::optional<PartOfProduct> part_of(Value product, shape::Sizes& sizes) {
    if (product->op != Op::matmul || product->shape.size() != 2 || sizes.hint(product->shape[0]) > most_rows) return std::nullopt;
    Value whole = product->inputs[0];
    std::optional<IndexMap> map = identity_map(2);
    while (ops::is_move(whole) && map) {
        map = through(*whole, *map, sizes);
        whole = whole->inputs[0];
    }
    const Dims& rows = product->inputs[0]->shape;
    if (!map || whole == product->inputs[0] || whole->shape.size() < 2 || whole->op == Op::constant) return std::nullopt;
    PartOfProduct part{whole, product->inputs[1], {}, {}};
    const std::size_t last = whole->shape.size() - 1;
    bool has_rows = rows[0] == Dim(1);
    for (std::size_t i = 0; i <= last; ++i) {
        const Index& at = (*map)[i];
        if (at.axis < 0) {
            part.starts.push_back(at.offset);
            part.shape.push_back(Dim(1));
            continue;
        }
        const auto axis = static_cast<std::size_t>(at.axis);
        if (at.step != 1 || !(at.offset == Dim(0)) || !(whole->shape[i] == rows[axis]) || (axis == 1) != (i == last)) return std::nullopt;
        has_rows = has_rows || axis == 0;
        part.starts.push_back(Dim(0));
        part.shape.push_back(i == last ? product->shape[1] : whole->shape[i]);
    }
    if (!has_rows || (*map)[last].axis != 1) return std::nullopt;
    return part;
}

}  // namespace

std::unordered_map<Value, PartOfProduct> joined_products(std::span<const Value> values, shape::Sizes& sizes) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::pair<Value, PartOfProduct>>> groups;  // by the array and the matrix
    for (const Value value : values) {
        if (auto part = part_of(value, sizes)) groups[{part->whole->id, part->matrix->id}].emplace_back(value, std::move(*part));
    }
    std::unordered_map<Value, PartOfProduct> joined;
    for (auto& [key, group] : groups) {
        if (group.size() < fewest_parts) continue;
        const auto& [product, part] = group.front();
        std::int64_t rows = 1;
        for (std::size_t i = 0; i + 1 < part.whole->shape.size(); ++i) rows *= sizes.hint(part.whole->shape[i]);
        const auto covered = static_cast<std::int64_t>(group.size()) * sizes.hint(product->shape[0]);
        const std::int64_t columns = std::max(sizes.hint(product->shape[1]), sizes.hint(part.whole->shape.back()));  // the whole may have to be copied
        const auto bytes = rows * columns * static_cast<std::int64_t>(itemsize_of(product->dtype));
        if (2 * covered < rows || bytes > most_bytes) continue;
        for (auto& [each, its] : group) joined.emplace(each, std::move(its));
    }
    return joined;
}

}  // namespace fastnp::pass
