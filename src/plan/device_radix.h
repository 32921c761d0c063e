// Radix sorts on a device. Addresses are the device's.
#pragma once

#include "device/backend.h"
#include "eager/eager.h"

namespace fastnp::plan {

/// Whether the lines of an array along its last axis had best be sorted so: long ones of real numbers.
bool is_sorted_by_radix(const eager::View& x);

/// Contiguous lines along the last axis, sorted in NumPy's order, NaN last; what is equal keeps its order. The elements, their places in their lines, or
/// both (the other is null); in memory of their own. For whole numbers, `bits`: how many of the low ones differ at all, if that is known; 0: perhaps all.
void radix_sort(device::Backend& backend, const eager::View& x, void* elements, std::int64_t* places, int bits = 0);

/// One line with what goes along with its elements, 4 bytes for each. All in memory of its own.
void radix_sort_with(device::Backend& backend, const eager::View& x, const std::uint32_t* others, void* elements, std::uint32_t* sorted_others,
                     int bits = 0);

}  // namespace fastnp::plan
