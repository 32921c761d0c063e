// NumPy functions that are compositions of others: elements chosen by indices along an axis, and by conditions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "fastnp/array.h"
#include "fastnp/ops.h"

namespace fastnp {

/// \addtogroup picking
/// @{

/// numpy.take_along_axis: along an axis the elements at integer indices, line by line; the other axes are broadcast together. Without an axis of the
/// flattened array, for indices of one axis. IndexError for an index out of bounds, for others than integers, and where the axes do not fit; ValueError
/// for another number of axes, AxisError.
///
///     take_along_axis(x, argsort(x), -1);  // sort(x)
FASTNP_API array take_along_axis(const array& x, const array& indices, std::optional<int> axis = -1);
/// numpy.put_along_axis: sets these elements to values, which are broadcast and cast by any rule. Errors as take_along_axis; ValueError for a read-only
/// array.
FASTNP_API void put_along_axis(const array& x, const array& indices, const Operand& values, std::optional<int> axis);
/// numpy.select: the choice that belongs to the first condition (bool) that is true, else the default, broadcast, in the common dtype. ValueError where
/// there are none, or not as many choices; TypeError for conditions that are no bools.
///
///     select({x > 0, x < 0}, {1, -1}, 0);
FASTNP_API array select(const std::vector<array>& conditions, const std::vector<Operand>& choices, const Operand& standard = 0);
/// numpy.choose: of several arrays the element of the one that an integer names, broadcast, in the common dtype. ValueError for an integer that names
/// none, unless it is counted on around them or taken for the nearest; and for no choices.
///
///     choose(array{0, 1, 0}, {array{1, 2, 3}, 7});  // 1 7 3
FASTNP_API array choose(const array& x, const std::vector<Operand>& choices, TakeMode mode = TakeMode::raise);

/// numpy.unravel_index: for each of these places in the elements of an array of this shape, all in one line in C order (or Fortran order), the index along
/// each axis: int64, in the shape of `indices`. TypeError for other dtypes than integers, ValueError for places that are not there (while recording, that
/// is read).
///
///     unravel_index(array{1, 5}, {2, 3});  // [0 1], [1 2]
FASTNP_API std::vector<array> unravel_index(const array& indices, const Shape& shape, Order order = Order::c);

/// numpy.ravel_multi_index: the other way, of an array of indices for each axis, which are broadcast together. What an index means that is not there is
/// said for all axes, or for each; ValueError otherwise.
///
///     ravel_multi_index({array{0, 1}, array{1, 2}}, {2, 3});  // [1 5]
FASTNP_API array ravel_multi_index(const std::vector<array>& indices, const Shape& shape, const std::vector<TakeMode>& modes = {TakeMode::raise},
                                   Order order = Order::c);

/// @}

}  // namespace fastnp
