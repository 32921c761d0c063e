// Draws by the ways of numpy.random.RandomState, whose streams NumPy has frozen, for the Python module. `stream`: a `bitgen_t` in memory with
// detail::PairedNormals behind it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "fastnp/array.h"
#include "fastnp/export.h"
#include "fastnp/ops.h"

namespace fastnp::detail {

/// Of a distribution by NumPy's name, one of RandomState's own: of the shape that the parameters, numbers or arrays, broadcast to, or of `size`.
/// ValueError for parameters out of their bounds, TypeError for those that are no real numbers.
FASTNP_API array draw_legacy(void* stream, std::string_view distribution, const std::vector<Operand>& parameters, const std::optional<Shape>& size);
/// Whole numbers from low to low + range, which is not negative.
FASTNP_API array draw_legacy_integers(void* stream, std::int64_t low, std::int64_t range, const Shape& size);
/// 0, 1, ..., count - 1 in another order.
FASTNP_API array draw_legacy_order(void* stream, std::int64_t count);
/// Rows of parts of 1, by weights (float64, one axis, positive).
FASTNP_API array draw_legacy_dirichlet(void* stream, const array& weights, const Shape& size);

}  // namespace fastnp::detail
