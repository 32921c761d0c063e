// Elements taken by index on a device.
#pragma once

#include "device/backend.h"
#include "eager/eager.h"
#include "plan/device_indices.h"

namespace fastnp::plan {

// Addresses are the device's. Where indices may be out of bounds they are looked at, by the device; what uses them reads within bounds in any case. The
// host is told when it waits for the checks.

/// The op `take`. IndexError at once where there is nothing to take from.
void take_on_device(device::Backend& backend, const ir::Attributes& attributes, const eager::View& x, const eager::View& indices, const eager::View& out,
                    IndexChecks& checks);

/// The op `nonzero`.
void nonzero_on_device(device::Backend& backend, const eager::View& mask, const eager::View& out);

}  // namespace fastnp::plan
