// Numbers that callers give for sizes. Expressions travel as numbers, too (detail/size.h), which no size is; those that were never handed out are too big.
#pragma once

#include "fastnp/array.h"
#include "shape/dim.h"

namespace fastnp::api {

/// Whether the number is an expression that the recording at hand has handed out.
bool is_handed_out(std::int64_t number);
/// The size that a caller gave; ValueError where it is too big.
shape::Dim size_given(std::int64_t number);
shape::Dims sizes_given(const Shape& shape);

}  // namespace fastnp::api
