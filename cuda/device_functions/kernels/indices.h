// Indices along an axis, as they are given.
#pragma once

#include "threads.h"

namespace fastnp::kernels {

/// Contiguous ones; those below 0 count from the end of the axis.
struct Indices {
    const std::int64_t* indices;
    std::int64_t count, extent;

    /// The place that one means; below 0 if it is out of bounds.
    [[gnu::always_inline]] inline std::int64_t place(std::int64_t i) const {
        const std::int64_t index = indices[i];
        return index >= extent ? -1 : index < 0 ? index + extent : index;
    }
    /// The same. The first that is out of bounds is noted: `found`, which is 0 before, becomes count - its number, the greatest that there is. Null: they
    /// were looked at before, and are right.
    [[gnu::always_inline]] inline std::int64_t checked_place(std::int64_t i, std::int64_t* found) const {
        const std::int64_t found_place = place(i);
        if (found_place < 0 && found != nullptr) __atomic_fetch_max(found, count - i, __ATOMIC_RELAXED);
        return found_place;
    }
};

/// Whether a check found an index that is out of bounds, so that nothing may be written.
[[gnu::always_inline]] inline bool is_stopped(const std::int64_t* found) { return found != nullptr && *found != 0; }

}  // namespace fastnp::kernels
