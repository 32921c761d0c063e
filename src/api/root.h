// Roots of sums of powers: norms and standard deviations.
#pragma once

#include "fastnp/array.h"

namespace fastnp::api {

/// sum ** (1 / degree), of a sum of absolute values to the power `degree`. Its derivative at 0, where it has a kink, is 0, as that of hypot(); there is no
/// second one there (NaN).
array root_of_sum(const array& sum, double degree = 2);

}  // namespace fastnp::api
