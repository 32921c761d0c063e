// Where a recorded array will lie.
#pragma once

#include <utility>

#include "fastnp/array.h"
#include "fastnp/export.h"

namespace fastnp::detail {

/// In a recording: the number of the parameter whose memory the array is (or is a view of), captured memory after the arguments; -1: it has new memory
/// at each call.
FASTNP_API int parameter_under(const array& x);

/// Its sizes and strides in the call that is recorded, which is tied to which axes have one element.
FASTNP_API std::pair<Shape, Strides> layout_now(const array& x);

}  // namespace fastnp::detail
