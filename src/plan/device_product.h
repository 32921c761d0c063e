// Matrix products on a device.
#pragma once

#include <span>

#include "device/backend.h"
#include "eager/eager.h"

namespace fastnp::plan {

/// The op matmul, of operands and into a result whose addresses are the device's; a third operand, of the result's shape, is added. False where the device
/// has no products of such matrices: then nothing was done that the host's product does not overwrite. Operands that libraries can't walk are copied on
/// the device.
bool product_on_device(device::Backend& backend, std::span<const eager::View> operands, const eager::View& out);

}  // namespace fastnp::plan
