// NumPy functions that are compositions of others: functions of each element by itself, and phases along an axis.
#pragma once

#include <optional>

#include "fastnp/array.h"
#include "fastnp/ops.h"

namespace fastnp {

/// \addtogroup elementwise
/// @{

/// numpy.angle: the argument of complex numbers, from -pi to pi, in degrees if `deg`. Of real numbers 0, or pi of negative ones. float64 of integers.
///
///     angle(array{1.0, -1.0}, true);  // 0. 180.
FASTNP_API array angle(const array& z, bool deg = false);

/// numpy.fix: rounded towards zero. As trunc().
FASTNP_API array fix(const array& x, const UfuncOptions& options = {});

/// numpy.sinc: sin(pi x) / (pi x), 1 at 0. float64 of integers.
FASTNP_API array sinc(const array& x);

/// Keyword arguments of nan_to_num().
struct NanToNumOptions {
    Operand nan = 0.0;                            ///< in the place of NaN
    std::optional<Operand> posinf = std::nullopt;  ///< of positive infinities; the largest number of the dtype unless given
    std::optional<Operand> neginf = std::nullopt;  ///< of negative infinities; the least number of the dtype unless given
};
/// numpy.nan_to_num: a copy with numbers in the places of NaN and infinities (of complex numbers, in each part). TypeError where these can't be cast to
/// x's dtype.
///
///     nan_to_num(x, {.nan = -1.0});
FASTNP_API array nan_to_num(const array& x, const NanToNumOptions& options = {});
/// nan_to_num(copy=False): the same in x's own memory. ValueError for a read-only array.
FASTNP_API void nan_to_num_in_place(const array& x, const NanToNumOptions& options = {});

/// numpy.real_if_close: a view of the real parts where all imaginary ones are smaller than `tol` (above 1: so many times the machine's precision), else x.
/// While recording, the answer is read.
FASTNP_API array real_if_close(const array& x, double tol = 100);

/// numpy.unwrap: x plus what multiples of the period take jumps along an axis down to at most `discont` (half of the period, unless given). AxisError,
/// ValueError for an array of no axes.
///
///     unwrap(array{0.0, 1.0, 7.0});  // 0. 1. 0.7168
FASTNP_API array unwrap(const array& x, const std::optional<Operand>& discont = std::nullopt, int axis = -1, const Operand& period = 6.283185307179586);

/// @}

}  // namespace fastnp
