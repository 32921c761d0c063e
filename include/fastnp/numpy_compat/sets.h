// NumPy functions that are compositions of others: arrays as sets of their elements, and orders by several keys.
#pragma once

#include <vector>

#include "fastnp/array.h"
#include "fastnp/ops.h"

namespace fastnp {

/// \addtogroup sorting
/// @{

/// numpy.isin: for each element of x, whether it is among the others, in x's shape; with `invert` whether it is not. A NaN is not among any.
///
///     isin(array{1, 2, 3}, array{3, 1});  // true false true
FASTNP_API array isin(const array& x, const array& others, bool invert = false);

// What depends on values in its size: while recording, that size is found on the way, and compiled code is for any.
/// numpy.union1d: the different elements of both, sorted.
FASTNP_API array union1d(const array& a, const array& b);
/// numpy.intersect1d: the different elements that are in both, sorted. With `assume_unique` none is there twice in one of them.
FASTNP_API array intersect1d(const array& a, const array& b, bool assume_unique = false);
/// What intersect1d_indices() gives.
struct Intersection {
    array values;   ///< the different elements that are in both, sorted
    array of_a;     ///< where each comes first in a, flattened (int64)
    array of_b;     ///< where each comes first in b, flattened (int64)
};
/// numpy.intersect1d(return_indices=True).
FASTNP_API Intersection intersect1d_indices(const array& a, const array& b, bool assume_unique = false);
/// numpy.setdiff1d: the different elements of a that are not in b, sorted; with `assume_unique` in a's order.
FASTNP_API array setdiff1d(const array& a, const array& b, bool assume_unique = false);
/// numpy.setxor1d: the different elements that are in one of both alone, sorted.
FASTNP_API array setxor1d(const array& a, const array& b, bool assume_unique = false);

/// numpy.lexsort: the indices (int64) that sort along an axis by the last key, equal ones by the key before it, and so on, else as they come. ValueError
/// for keys of different shapes, TypeError for none.
///
///     lexsort({array{3, 1, 2}, array{1, 1, 0}});  // 2 1 0
FASTNP_API array lexsort(const std::vector<array>& keys, int axis = -1);

/// @}

}  // namespace fastnp
