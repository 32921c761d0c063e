// NumPy functions that are compositions of others: interpolation between samples, and sums of products of sequences that are moved along each other.
#pragma once

#include <cstdint>
#include <optional>

#include "fastnp/array.h"
#include "fastnp/ops.h"

namespace fastnp {

/// \addtogroup elementwise
/// @{

/// Keyword arguments of interp().
struct InterpOptions {
    std::optional<Operand> left = std::nullopt;    ///< for places before the first one; fp's first element unless given
    std::optional<Operand> right = std::nullopt;   ///< for places behind the last one; fp's last element unless given
    std::optional<Operand> period = std::nullopt;  ///< of the places, which may have any order then; left and right do not count
};
/// numpy.interp: at the places x, what the line through the points (xp, fp) is, xp ascending. Of x's shape, float64, or complex128 for complex fp.
/// ValueError unless xp and fp have one axis and the same number of elements, one at least, and for a period of 0.
///
///     interp(array{2.5}, array{1.0, 2.0, 3.0}, array{3.0, 2.0, 0.0});  // 1.
FASTNP_API array interp(const array& x, const array& xp, const array& fp, const InterpOptions& options = {});

/// Which part of a convolution: all, as much as the longer operand has, or where both overlap whole.
enum class ConvolveMode : std::uint8_t { full, same, valid };
/// numpy.convolve: the sums of a(i) * v(k - i), of two arrays of one axis, in their common dtype. ValueError for empty ones.
///
///     convolve(array{1, 2, 3}, array{0, 1});  // 0 1 2 3
FASTNP_API array convolve(const array& a, const array& v, ConvolveMode mode = ConvolveMode::full);
/// numpy.correlate: the sums of a(k + i) * conjugate(v(i)), as convolve().
FASTNP_API array correlate(const array& a, const array& v, ConvolveMode mode = ConvolveMode::valid);

/// @}

}  // namespace fastnp
