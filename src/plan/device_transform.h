// Fourier transforms on a device.
#pragma once

#include "device/backend.h"
#include "eager/eager.h"

namespace fastnp::plan {

/// The ops fft, rfft and irfft, of an operand and into a result whose addresses are the device's. False where the device has no transforms of such lines,
/// or a scale is asked for: then nothing was done that the host's does not overwrite. Lines that libraries can't walk, that are cut or have zeros behind,
/// and what they would overwrite, are copied on the device.
bool transform_on_device(device::Backend& backend, ops::Op op, const ir::Attributes& attributes, const eager::View& x, const eager::View& out);

}  // namespace fastnp::plan
