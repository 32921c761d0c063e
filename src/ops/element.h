// Scalars as elements in memory.
#pragma once

#include "fastnp/dtype.h"
#include "fastnp/scalar.h"

namespace fastnp::ops {

/// Writes a value that convert() made for `dtype`.
void store(const Scalar& value, Dtype dtype, void* element);
/// The element as a scalar of its dtype's kind.
Scalar load(Dtype dtype, const void* element);

}  // namespace fastnp::ops
