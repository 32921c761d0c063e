// What a loop kernel has to move and to compute.
#pragma once

#include <cstdint>
#include <functional>

#include "nest/kernel.h"

namespace fastnp::nest {

/// Bytes that come from memory and go to it, where what is used again counts once, and floating-point operations, in additions (ops/cost.h).
struct Cost {
    double read = 0, written = 0, flops = 0;
};

/// Of doing it once; `value_of` gives sizes their values.
Cost cost_of(const Kernel& kernel, const std::function<std::int64_t(shape::Dim)>& value_of);

}  // namespace fastnp::nest
