// Indices along an axis, which may count from its end.
#pragma once

#include <cstdint>

namespace fastnp::eager {

/// Whether each index is one of an axis, counted from its start, or as many as `behind` from its end.
[[gnu::always_inline]] inline bool are_places(const std::int64_t* indices, std::int64_t count, std::int64_t extent, std::int64_t behind) {
    const auto from_end = static_cast<std::uint64_t>(behind), most = static_cast<std::uint64_t>(extent + behind);
    std::uint64_t outside = 0;
    for (std::int64_t i = 0; i < count; ++i) outside |= static_cast<std::uint64_t>(indices[i]) + from_end >= most ? 1 : 0;
    return outside == 0;
}

/// The place of such an index from the start, without a branch.
inline std::int64_t from_start(std::int64_t index, std::int64_t extent) { return index + ((index >> 63) & extent); }

}  // namespace fastnp::eager
