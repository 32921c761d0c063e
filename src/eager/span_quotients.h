// Quotients and remainders of whole numbers by floating ones, which processors divide by vectors.
#pragma once

#include "eager/eager.h"

namespace fastnp::eager {

/// Tries floor_divide, remainder or fmod of an integer dtype by floats; false, and nothing done, where a divisor is 0 or -1, or numbers are too large.
using TryKernel = bool (*)(const void* const* operands, void* out, std::int64_t count);

/// For chunks that a cache holds; null on processors without AVX2.
TryKernel quotient_kernel(ops::Op op, Dtype dtype);

}  // namespace fastnp::eager
