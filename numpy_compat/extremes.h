// Largest and smallest elements without NaN of arrays at hand, in one pass: there is no fold that leaves NaN out.
#pragma once

#include <optional>

#include "fastnp/array.h"
#include "fastnp/ops.h"

namespace fastnp::compat {

/// As nanmax() or nanmin(), over one axis or all; the flag of an invalid operation is raised for each slice of NaN alone. Nothing for other options, other
/// dtypes than float32 and float64, no elements, and elements that are not contiguous or not at hand.
std::optional<array> extreme_at_hand(const array& x, bool is_largest, const FoldOptions& options);

}  // namespace fastnp::compat
