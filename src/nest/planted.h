// Faults in loop kernels, planted by tests (base/planted.h).
#pragma once

#include "nest/kernel.h"

namespace fastnp::nest {

/// Puts the fault that is planted at the stage "kernel" into a kernel, where it has a map or fold of its op.
///
///     swap     the first two arguments change places
///     NAME     another op, of the same arguments
///     offset   what its first argument loads lies an element further on
///     still    what its first argument loads does not move along the last axis
///     short    the last step of the last outer axis is not done
void plant(Kernel& kernel);

}  // namespace fastnp::nest
