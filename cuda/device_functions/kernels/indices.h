// Indices along an axis, as they are given.
#pragma once

#include "threads.h"

namespace fastnp::kernels {

/// Contiguous ones; those below 0 count from the end of the axis.
struct Indices {
    const std::int64_t* indices;
    std::int64_t count, extent;

    /// The place that one means, if it is none out of bounds.
    [[gnu::always_inline]] inline std::int64_t place(std::int64_t i) const {
        const std::int64_t index = indices[i];
        return index < 0 ? index + extent : index;
    }
    /// Whether one is out of bounds. The first of them is noted: `found`, which is 0 before, becomes count - its number, the greatest that there is.
    [[gnu::always_inline]] inline bool notes_wrong(std::int64_t i, std::int64_t* found) const {
        const std::int64_t index = indices[i];
        if (index >= -extent && index < extent) return false;
        __atomic_fetch_max(found, count - i, __ATOMIC_RELAXED);
        return true;
    }
};

}  // namespace fastnp::kernels
