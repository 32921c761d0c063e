// Which buffers a kernel's expressions load from.
#pragma once

#include <vector>

#include "nest/kernel.h"

namespace fastnp::nest {

/// Of each whether any does.
std::vector<bool> read_buffers(const Kernel& kernel);

}  // namespace fastnp::nest
