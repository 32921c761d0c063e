// How arrays lie in memory, those that are there and those that are only recorded; and how NumPy lays out results.
#pragma once

#include <span>

#include "api/body.h"
#include "eager/eager.h"
#include "ir/attributes.h"

namespace fastnp::api {

/// Strides in bytes; of a recorded array those that it will have.
shape::Dims strides_of(const array& x);
/// Strides of a recorded array whose axes lie in an order.
shape::Dims ordered_strides(const shape::Dims& shape, const shape::AxisOrder& order, Dtype dtype, shape::Sizes& sizes);
/// The order in which a copy's axes lie (numpy.copy).
shape::AxisOrder order_of(const array& x, Order order = Order::keep);
/// NumPy's order "A" as what it stands for with that array; others as they are.
Order settled(const array& x, Order order);
/// NumPy's flags; while recording, the recording is tied to the answer.
bool lies_in_c_order(const array& x);
bool lies_in_f_order(const array& x);

/// NumPy's order "K" for what is computed of views of one shape. `are_cast`: whether one has another dtype than it is computed in.
shape::AxisOrder common_order(std::span<const eager::View> views, bool are_cast = false);
/// ... of arrays under the result's shape; null: a number.
shape::AxisOrder common_order(const Shape& shape, std::span<const device::Memory* const> operands, bool are_cast);
/// The order of an op's result.
shape::AxisOrder result_order(ir::Op op, const ir::Attributes& attributes, std::span<const eager::View> operands);
shape::AxisOrder result_order(ir::Op op, const ir::Attributes& attributes, std::span<const array> operands);

/// The order of what a function of stacks (numpy's generalised ufuncs) gives: the stacks' in NumPy's order "K", then `core` axes in C order. Each operand
/// has as many axes of its own behind its stack as `cores` says.
shape::AxisOrder stack_order(std::span<const array> operands, std::span<const int> cores, int core);

/// The order of the elements that arrays of integers pick along axes of x (numpy.ndarray.__getitem__). In the result the arrays' axes begin at `place`.
shape::AxisOrder picked_order(const array& x, std::span<const std::int64_t> axes, std::span<const array> indices, int place);
/// The same elements in memory of their own, whose axes lie in that order; x itself, outside of recordings, if they do.
array laid_out(const array& x, const shape::AxisOrder& order);

}  // namespace fastnp::api
