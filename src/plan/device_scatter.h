// Elements set by index on a device, or joined to others.
#pragma once

#include "device/backend.h"
#include "eager/eager.h"
#include "plan/device_indices.h"

namespace fastnp::plan {

/// The op `scatter`, whose `out` may be x. Addresses are the device's. Where indices may be out of bounds they are looked at, by the device, and nothing
/// is written if one is; the host is told when it waits for the checks. Of several values for a row the last one stays; values that are combined are so in
/// NumPy's order, except those from about the 1,024th for a row on, where the op is associative but for rounding: every 1,024 of these are combined before
/// they join the row.
void scatter_on_device(device::Backend& backend, const ir::Attributes& attributes, const eager::View& x, const eager::View& indices,
                       const eager::View& values, const eager::View& out, IndexChecks& checks);

}  // namespace fastnp::plan
