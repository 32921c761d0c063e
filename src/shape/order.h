// NumPy's order "K": the memory order of a result follows its operands'.
#pragma once

#include <cstdint>
#include <span>

#include "fastnp/small_vector.h"

namespace fastnp::shape {

/// Axes from the slowest in memory to the fastest; empty for C order, whatever the rank.
using AxisOrder = SmallVector<std::int64_t>;

/// What orders an operand's axes: the size of each step, in any unit; 0 where the elements repeat, -1 for an axis of one element.
using Steps = SmallVector<std::int64_t>;

/// The order in which numpy.nditer walks the operands, and lays out its results: axes with larger steps are slower, the first operand that can
/// tell decides, and where operands disagree C order stays.
AxisOrder keep_order(std::size_t rank, std::span<const Steps> operands);

/// The order of numpy.concatenate's result: as above, but sorted from the slow side, and repeated axes count as those with the smallest steps.
AxisOrder join_order(std::size_t rank, std::span<const Steps> operands);

/// The order of copies and of numpy.zeros_like: axes with larger steps are slower, repeated ones fastest.
AxisOrder like_order(const Steps& steps);

/// Steps of the axes of strided memory.
Steps steps_of(const Shape& shape, const Strides& strides);

/// Whether C order is what keep_order would say, because no axis of any operand takes larger steps than one before it.
bool is_descending(const Shape& shape, const Strides& strides);

/// Strides of a new array whose axes lie in an order: none, where there are no elements.
Strides strides_in(const Shape& shape, const AxisOrder& order, std::size_t itemsize);

/// The order of the axes that are left when some are reduced away.
AxisOrder without_axes(const AxisOrder& order, std::size_t rank, std::span<const std::int64_t> axes);

}  // namespace fastnp::shape
