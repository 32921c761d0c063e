// Collectives of arrays that lie on a device.
#pragma once

#include <span>

#include "device/backend.h"
#include "eager/eager.h"

namespace fastnp::plan {

/// As eager::run does it, by NCCL. False where the host has to, on all ranks alike: there is no NCCL, two ranks have one device, or NCCL does not join
/// elements of the dtype as NumPy does.
bool collective_on_device(device::Backend& backend, ops::Op op, const ir::Attributes& attributes, std::span<const eager::View> operands,
                          const eager::View& out);

}  // namespace fastnp::plan
