// Copies between strided arrays on a device.
#pragma once

#include "device/backend.h"
#include "eager/eager.h"

namespace fastnp::plan {

/// to[i] = from[i] for arrays of one dtype and shape, whose addresses are the device's and which share no memory. What lies in one piece is one copy;
/// else it takes a kernel, of which there is one for all arrays of so many axes, compiled when first needed.
void copy_on_device(device::Backend& backend, const eager::View& from, const eager::View& to);

}  // namespace fastnp::plan
