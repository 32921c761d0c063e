// Runs of 16-bit floats to and from float, by the processor's own conversion where it has one.
#pragma once

#include <cstdint>

#include "fastnp/half.h"

namespace fastnp::eager {

void widen(const float16_t* from, float* to, std::int64_t count);
void widen(const bfloat16_t* from, float* to, std::int64_t count);
void narrow(const float* from, float16_t* to, std::int64_t count);
void narrow(const float* from, bfloat16_t* to, std::int64_t count);

}  // namespace fastnp::eager
