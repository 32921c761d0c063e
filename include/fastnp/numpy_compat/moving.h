// NumPy functions that are compositions of others: elements at other places, and more than once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fastnp/array.h"
#include "fastnp/ops.h"

namespace fastnp {

/// \addtogroup rearranging
/// @{

/// numpy.roll: a copy with the elements moved along axes, those that leave at one end come in at the other; without an axis along the flattened array, and
/// in x's shape again. A shift for each axis, or one for all; shifts of one axis add up. ValueError where they are not as many, AxisError.
///
///     roll(array{1, 2, 3}, {1});  // 3 1 2
FASTNP_API array roll(const array& x, const std::vector<std::int64_t>& shifts, const Axes& axis = {});
/// numpy.rot90: a view turned k times by 90 degrees, from the first of two axes to the second. ValueError for axes that are equal or out of bounds.
FASTNP_API array rot90(const array& x, int k = 1, int first = 0, int second = 1);
/// numpy.rollaxis: a view with an axis put before the place of another one. AxisError.
FASTNP_API array rollaxis(const array& x, int axis, int start = 0);
/// numpy.repeat: each element so many times, along an axis or of the flattened array. A copy. ValueError for a negative number, AxisError.
///
///     repeat(array{1, 2}, 2);  // 1 1 2 2
FASTNP_API array repeat(const array& x, std::int64_t repeats, std::optional<int> axis = std::nullopt);
/// numpy.repeat: a number for each place along the axis, or one for all; while recording, the size is found on the way. ValueError for negative numbers,
/// and where they are not as many as the places; TypeError unless they are integers.
FASTNP_API array repeat(const array& x, const array& repeats, std::optional<int> axis = std::nullopt);
/// numpy.tile: x so many times along each axis, the last ones if there are fewer numbers than axes; a copy. New axes are in front. ValueError for negative
/// numbers.
///
///     tile(array{1, 2}, {2, 2});  // {{1, 2, 1, 2}, {1, 2, 1, 2}}
FASTNP_API array tile(const array& x, const Shape& repeats);
/// numpy.resize: the elements in C order, over and over as far as the shape goes; zeros where x has none. A copy. ValueError for negative sizes.
FASTNP_API array resize(const array& x, const Shape& shape);
/// numpy.atleast_3d: a view with at least three axes: (n,) becomes (1, n, 1), and (m, n) becomes (m, n, 1).
FASTNP_API array atleast_3d(const array& x);
/// numpy.unstack: views of the parts along an axis. ValueError for an array of no axes, AxisError.
FASTNP_API std::vector<array> unstack(const array& x, int axis = 0);

/// @}

}  // namespace fastnp
