// Factors of matrices, and what is solved with them, on a device.
#pragma once

#include "device/backend.h"
#include "eager/eager.h"

namespace fastnp::plan {

/// Whether factorise_on_device() knows an op: those of the kind library but the Fourier transforms.
bool is_factorisation(ops::Op op);

/// Such an op, of operands and into a result whose addresses are the device's. False where the device has none of such matrices: then nothing was done
/// that the host's does not overwrite. Matrices are copied to where libraries can walk them, and what they give to the result. LinAlgError as the host's:
/// whether a matrix has no such factor is asked as soon as its step was asked for, which waits for it.
bool factorise_on_device(device::Backend& backend, ops::Op op, const ir::Attributes& attributes, std::span<const eager::View> operands,
                         const eager::View& out);

}  // namespace fastnp::plan
