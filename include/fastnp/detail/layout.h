// Results that lie in memory as NumPy's do, for front ends.
#pragma once

#include <vector>

#include "fastnp/array.h"
#include "fastnp/export.h"
#include "fastnp/ops.h"

namespace fastnp::detail {

/// x[:, index] with so many axes before it, for an array of integers.
FASTNP_API array picked_along(const array& x, const array& index, int axis);
/// x[:, mask], for a mask of one axis that is as long as that axis.
FASTNP_API array masked_along(const array& x, const array& mask, int axis);
/// The elements in memory of their own, which lies as numpy.empty_like(like, order) does.
FASTNP_API array laid_like(const array& x, const array& like, Order order = Order::keep);
/// The same as what is computed element by element of arrays of one rank, then reduced over axes.
FASTNP_API array laid_as_computed(const array& x, const std::vector<array>& operands, const Shape& reduced);
/// A view of a diagonal of two different axes as the last axis, which may not be written to; of an array with memory.
FASTNP_API array diagonal_view(const array& x, std::int64_t offset, int axis1, int axis2);

}  // namespace fastnp::detail
