// Elements taken by index on a device.
#pragma once

#include "device/backend.h"
#include "eager/eager.h"

namespace fastnp::plan {

/// The op `take`, of arrays whose addresses are the device's. In mode `raise` the host waits for the indices to have been looked at, behind the launch of
/// what takes the elements: IndexError in NumPy's words.
void take_on_device(device::Backend& backend, const ir::Attributes& attributes, const eager::View& x, const eager::View& indices, const eager::View& out);

}  // namespace fastnp::plan
