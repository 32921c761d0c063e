// NumPy functions that are compositions of others: arrays joined, and elements put in and left out.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "fastnp/array.h"
#include "fastnp/ops.h"

namespace fastnp {

/// \addtogroup rearranging
/// @{

/// numpy.append: the values behind x along an axis, or behind its elements along one axis. In the common dtype. ValueError where other sizes differ,
/// AxisError.
///
///     append(array{1, 2}, array{3});  // 1 2 3
FASTNP_API array append(const array& x, const array& values, std::optional<int> axis = std::nullopt);
/// numpy.insert: values before a place along an axis (of the flattened array without one), in x's dtype: one element for all of the other axes, or what is
/// broadcast to them. A copy. IndexError, ValueError where they do not fit, AxisError.
///
///     insert(array{1, 2}, 1, array(5));  // 1 5 2
FASTNP_API array insert(const array& x, std::int64_t place, const array& values, std::optional<int> axis = std::nullopt);
/// numpy.insert: a value before each of the places, which are those of x without what is put in. IndexError, TypeError unless they are integers.
FASTNP_API array insert(const array& x, const array& places, const array& values, std::optional<int> axis = std::nullopt);
/// numpy.delete, a word of C++: a copy without what is at a place along an axis, or in the flattened array. IndexError, AxisError.
///
///     delete_at(array{1, 2, 3}, 1);  // 1 3
FASTNP_API array delete_at(const array& x, std::int64_t place, std::optional<int> axis = std::nullopt);
/// numpy.delete: without what a slice takes.
FASTNP_API array delete_at(const array& x, const Slice& places, std::optional<int> axis = std::nullopt);
/// numpy.delete: without what is at these places, some named more than once, perhaps.
FASTNP_API array delete_at(const array& x, const std::vector<std::int64_t>& places, std::optional<int> axis = std::nullopt);
/// numpy.delete: without what is at integer places, or where a mask for the axis is true; while recording, the size is found on the way. ValueError for a
/// mask of another length, IndexError.
FASTNP_API array delete_at(const array& x, const array& places, std::optional<int> axis = std::nullopt);

/// numpy.dstack: arrays of at least three axes, as atleast_3d() has them, joined along the third. ValueError where other sizes differ.
FASTNP_API array dstack(const std::vector<array>& arrays);

/// What numpy.block joins: an array, or a list of such, all of one depth.
class Blocks {
public:
    /// One array.
    Blocks(const array& value) : parts_(value) {}  // NOLINT: implicit by design
    /// A list.
    Blocks(std::vector<Blocks> list) : parts_(std::move(list)) {}  // NOLINT: implicit by design
    /// The array; null for a list.
    const array* as_array() const { return std::get_if<array>(&parts_); }
    /// The list, if it is no array.
    const std::vector<Blocks>& list() const { return std::get<std::vector<Blocks>>(parts_); }

private:
    std::variant<array, std::vector<Blocks>> parts_;
};
/// numpy.block: the innermost lists are joined along the last axis, those around them along the one before, and so on. A copy in the common dtype.
/// ValueError where depths or sizes do not fit, and for an empty list.
///
///     block(std::vector<Blocks>{std::vector<Blocks>{x, x}, std::vector<Blocks>{x, x}});  // two rows of two
FASTNP_API array block(const Blocks& blocks);

/// @}

}  // namespace fastnp
