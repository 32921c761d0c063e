// Elements by their places in sorted order on a device, without sorting. Addresses are the device's.
#pragma once

#include "device/backend.h"
#include "eager/eager.h"

namespace fastnp::plan {

/// Whether so many neighbouring elements of sorted lines along the last axis had best be found so.
bool is_selected(const eager::View& x, std::int64_t count);

/// Elements first, first + 1, ... of the sorted lines, contiguous as those of x are: as many as `out` has in a line.
void select_on_device(device::Backend& backend, const eager::View& x, std::int64_t first, const eager::View& out);

}  // namespace fastnp::plan
