// Kernels and schedules as bytes, for exported functions.
#pragma once

#include "base/bytes.h"
#include "nest/kernel.h"

namespace fastnp::nest {

/// What runs need of it: no lines, and no function's name.
void pack(const Kernel& kernel, base::Writer& out);
/// Over these sizes. What is no kernel fails the reader.
Kernel unpack_kernel(const shape::Sizes& sizes, base::Reader& in);

void pack(const Schedule& schedule, base::Writer& out);
Schedule unpack_schedule(const shape::Sizes& sizes, base::Reader& in);

}  // namespace fastnp::nest
