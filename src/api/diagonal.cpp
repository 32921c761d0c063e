// Diagonals as views: a step along two axes at once, which is no slice.
#include <algorithm>

#include "api/primitives.h"
#include "fastnp/detail/layout.h"
#include "shape/strides.h"

namespace fastnp::detail {

array diagonal_view(const array& x, std::int64_t offset, int axis1, int axis2) {
    const device::Memory& from = api::memory_of(x, "a diagonal");
    const auto first = static_cast<std::size_t>(axis1), second = static_cast<std::size_t>(axis2);
    std::int64_t rows = from.shape[first], columns = from.shape[second];
    // Beyond the last one all are as empty: numbers that can be counted with.
    const std::int64_t above = std::clamp(offset, -rows, columns);
    (above >= 0 ? columns : rows) -= std::abs(above);
    device::Memory to = from;
    to.shape.clear();
    to.strides.clear();
    for (std::size_t i = 0; i < from.shape.size(); ++i) {
        if (i == first || i == second) continue;
        to.shape.push_back(from.shape[i]);
        to.strides.push_back(from.strides[i]);
    }
    to.shape.push_back(std::min(rows, columns));
    to.strides.push_back(from.strides[first] + from.strides[second]);
    const std::int64_t start = above >= 0 ? above * from.strides[second] : -above * from.strides[first];
    if (shape::count(to.shape) != 0) to.data = static_cast<char*>(from.data) + start;
    return api::wrap(std::move(to), false);
}

}  // namespace fastnp::detail
