// Rows of an array by index, as indices along its first axes name them together.
#pragma once

#include <optional>
#include <vector>

#include "fastnp/ops.h"
#include "ir/op.h"

namespace fastnp::api {

/// The first axes of x as one, and the index into it that the indices mean together.
struct Rows {
    array x;
    array index;
};
/// IndexError for more indices than axes.
Rows rows_of(const array& x, const std::vector<array>& indices);

/// Sets x at indices, or combines what is there with the values by a function of two operands that computes in x's dtype.
void scatter(const array& x, const std::vector<array>& indices, const Operand& values, std::optional<ir::Op> combine);

/// ValueError in the words of numpy.ufunc.at.
[[noreturn]] void throw_unfit();

}  // namespace fastnp::api
