// Precompiled steps that a device does.
#pragma once

#include <span>
#include <string>

#include "device/backend.h"
#include "eager/eager.h"
#include "plan/device_indices.h"

namespace fastnp::plan {

/// An op of the catalogue, of operands and into a result whose addresses are the device's, as eager::run does it on the host: products of matrices,
/// Fourier transforms, factors of matrices, elements taken and set by index, running folds, sorts, and what moves elements only (copies of views,
/// concatenation). False where the device has no way of doing it: then nothing was done that the host does not overwrite. Sizes in the attributes are
/// numbers. IndexError as on the host, when the checks are finished.
bool run_step_on_device(device::Backend& backend, ops::Op op, const ir::Attributes& attributes, std::span<const eager::View> operands,
                        const eager::View& out, IndexChecks& checks);

/// Why run_step_on_device() never does an op with a result of a dtype, in one line; empty where it does, for most operands.
std::string host_does(device::Backend& backend, ops::Op op, Dtype dtype);

}  // namespace fastnp::plan
