// Derivatives and batching of functions over arrays. Each takes a function (of arrays, plain values, and tuples, vectors and structs of these) and gives
// one, which can be transformed again, to any depth; called in a compiled function, or compiled, it is compiled with the rest.
//
// Complex numbers: the derivative of a real result with respect to z = x + iy is d/dx - i d/dy, as JAX has it (its conjugate is the direction of
// steepest ascent). Where a function has a kink: 0 for absolute() at 0 and hypot() at the origin; the equal elements of a max() or min(), and equal
// operands of maximum() and minimum(), share it alike; of where(), the operand that was chosen; of sort(), the order of a stable sort.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "fastnp/array.h"
#include "fastnp/export.h"

namespace fastnp {

/// \addtogroup transforms
/// @{

/// x, as a constant to derivatives (jax.lax.stop_gradient).
FASTNP_API array stop_gradient(const array& x);

/// In a function that vmap maps over an axis with a name (VmapOptions::axis_name): the sum of x over all parts, as jax.lax.psum. ValueError for a name
/// that no vmap around gives.
///
///     vmap([](const array& x) { return x / psum(x, "i"); }, {.axis_name = "i"})(ones({4}));
FASTNP_API array psum(const array& x, const std::string& axis_name);
/// The mean of x over all parts, as psum().
FASTNP_API array pmean(const array& x, const std::string& axis_name);
/// The maximum of x over all parts, as psum().
FASTNP_API array pmax(const array& x, const std::string& axis_name);
/// The minimum of x over all parts, as psum().
FASTNP_API array pmin(const array& x, const std::string& axis_name);
/// The number of the part at hand (int64), as jax.lax.axis_index. ValueError as psum().
FASTNP_API array axis_index(const std::string& axis_name);

/// @}

}  // namespace fastnp

#include "fastnp/detail/transforms.h"
