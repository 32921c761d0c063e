// NumPy functions that are compositions of others: which bins numbers belong to.
#pragma once

#include <cstdint>
#include <optional>

#include "fastnp/array.h"
#include "fastnp/ops.h"

namespace fastnp {

/// \addtogroup sorting
/// @{

/// numpy.digitize: for each element the number of the bin it lies in, int64 and in x's shape: i where bins[i - 1] <= x < bins[i] (with `right`, where
/// bins[i - 1] < x <= bins[i]); of decreasing edges where bins[i - 1] > x >= bins[i]. 0 and the number of edges are beyond. ValueError for edges that
/// neither rise nor fall (while recording, that is read), TypeError for complex numbers.
///
///     digitize(array{0.5, 2.0, 7.0}, array{0.0, 1.0, 2.0});  // [1 3 3]
FASTNP_API array digitize(const array& x, const array& bins, bool right = false);

/// numpy.bincount: how often each of 0, 1, 2, ... comes in x, which has one axis, whole numbers, and none below 0: int64, up to the largest one, and
/// `minlength` of them at least. With `weights`, one for each element, the sums of these: float64, added one after the other. ValueError for negative
/// numbers (while recording, that is read), other axes and other lengths; TypeError for floats.
///
///     bincount(array{0, 1, 1, 3});                             // [1 2 0 1]
///     bincount(array{0, 1, 1}, array{0.5, 1.0, 2.0});          // [0.5 3. ]
FASTNP_API array bincount(const array& x, const std::optional<array>& weights = std::nullopt, std::int64_t minlength = 0);

/// @}

}  // namespace fastnp
