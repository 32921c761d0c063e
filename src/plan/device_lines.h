// Ops along one axis on a device, a line at a time.
#pragma once

#include "device/backend.h"
#include "eager/eager.h"

namespace fastnp::plan {

/// The ops `argmax` and `argmin`, of arrays whose addresses are the device's.
void argfold_on_device(device::Backend& backend, ops::Op op, const ir::Attributes& attributes, const eager::View& x, const eager::View& out);

}  // namespace fastnp::plan
