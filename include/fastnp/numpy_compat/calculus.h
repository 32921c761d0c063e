// NumPy functions that are compositions of others: differences, integrals, interpolation and products of vectors.
#pragma once

#include <optional>
#include <vector>

#include "fastnp/array.h"
#include "fastnp/ops.h"

namespace fastnp {

/// \addtogroup elementwise
/// @{

/// numpy.diff: n-th differences along an axis; not_equal for bools. ValueError for a negative order or a 0-d array.
FASTNP_API array diff(const array& x, int n = 1, int axis = -1);

/// numpy.ediff1d: differences of the flattened array, with other elements before and behind them, in x's dtype. TypeError where these can't be cast to it.
///
///     ediff1d(array{1, 2, 4}, array{99});  // 1 2 99
FASTNP_API array ediff1d(const array& x, const std::optional<array>& to_end = std::nullopt, const std::optional<array>& to_begin = std::nullopt);

/// numpy.gradient: for each axis (all of them, unless given) the slopes along it, in f's shape: between an element's neighbours, and at the ends of the
/// first or last `edge_order` + 1 elements. Spacings: none (1), one number for all, or for each axis a number or the places of its elements. float64 of
/// integers. TypeError for another number of spacings; ValueError for too few elements, and where places do not fit; AxisError.
///
///     gradient(array{1.0, 2.0, 4.0})[0];  // 1. 1.5 2.
FASTNP_API std::vector<array> gradient(const array& f, const std::vector<Operand>& spacings = {}, const Axes& axis = {}, int edge_order = 1);

/// numpy.cumulative_sum: the running sum along an axis, which may be left out where there is one, with a 0 before it if `include_initial`. ValueError,
/// AxisError.
FASTNP_API array cumulative_sum(const array& x, const AxisOptions& options = {}, bool include_initial = false);
/// numpy.cumulative_prod: the running product, as cumulative_sum(), with a 1 before it.
FASTNP_API array cumulative_prod(const array& x, const AxisOptions& options = {}, bool include_initial = false);

/// numpy.trapezoid: the integral along an axis by the trapezoidal rule, of samples at the places x (of y's shape, or of the axis' length), or `dx` apart.
/// Of y's shape without the axis, in float64 for integers. ValueError where x does not fit; IndexError for an axis
/// that y has not.
///
///     trapezoid(array{1.0, 2.0, 3.0}, array{4.0, 6.0, 8.0});  // 8.
FASTNP_API array trapezoid(const array& y, const std::optional<array>& x = std::nullopt, const Operand& dx = 1.0, int axis = -1);

/// numpy.cross: of vectors of length 3 along an axis of each, which is `axisc` of the result; a vector of length 2 has a third element 0, and of two such
/// the third element alone is given, without an axis. `axis` stands for all three. ValueError for other lengths, AxisError.
FASTNP_API array cross(const array& a, const array& b, int axisa = -1, int axisb = -1, int axisc = -1, std::optional<int> axis = std::nullopt);

/// @}

/// \addtogroup products
/// @{

/// numpy.kron: the Kronecker product, blocks of b for each element of a. The array of fewer axes has axes of size 1 put in front.
///
///     kron(array{1, 10}, array{5, 6, 7});  // 5 6 7 50 60 70
FASTNP_API array kron(const array& a, const array& b);

/// @}

}  // namespace fastnp
