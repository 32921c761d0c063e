// Elements by their order, for front ends.
#pragma once

#include <cstdint>
#include <span>

#include "fastnp/array.h"
#include "fastnp/export.h"

namespace fastnp::detail {

/// Elements first, first + 1, ... of sort(x), so many, along the last axis; on a device without sorting it, where they are one or two of a long line.
/// Sizes as size.h has them. ValueError where the lines have not so many.
FASTNP_API array sorted_part(const array& x, std::int64_t first, std::int64_t count);
/// Whether a device finds so many of them without sorting lines like x's, by the sizes at hand.
FASTNP_API bool finds_sorted_part(const array& x, std::int64_t count);

/// Of `count` elements one after the other, on the host, those at the places (ascending ones) that they have in a sorted line; before each none that is
/// larger, behind it none that is smaller.
FASTNP_API void partition_line(void* line, Dtype dtype, std::int64_t count, std::span<const std::int64_t> places);

}  // namespace fastnp::detail
