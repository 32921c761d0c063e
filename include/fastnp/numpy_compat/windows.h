// NumPy functions that are compositions of others: windows of signals, and the Bessel function that one is made of.
#pragma once

#include <cstdint>

#include "fastnp/array.h"
#include "fastnp/ops.h"

namespace fastnp {

/// \addtogroup making
/// @{

/// numpy.bartlett: a triangle of so many numbers (float64), with zeros at its ends; none of a number below 1.
FASTNP_API array bartlett(std::int64_t count);
/// numpy.blackman: a taper of three cosines.
FASTNP_API array blackman(std::int64_t count);
/// numpy.hamming: a taper of a raised cosine that does not begin at 0.
FASTNP_API array hamming(std::int64_t count);
/// numpy.hanning: a taper of a raised cosine that begins at 0.
FASTNP_API array hanning(std::int64_t count);
/// numpy.kaiser: a taper of i0(), the narrower the larger `beta` is.
FASTNP_API array kaiser(std::int64_t count, const Operand& beta);

/// @}

/// \addtogroup elementwise
/// @{

/// numpy.i0: the modified Bessel function of the first kind, of order 0. In x's dtype, float64 of integers. TypeError for complex numbers.
FASTNP_API array i0(const array& x);

/// @}

}  // namespace fastnp
