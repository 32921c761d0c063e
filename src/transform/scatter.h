// Derivatives of scatters that combine what is there with what is given (numpy.ufunc.at). TypeError for ufuncs whose `at` has none that is known.
#pragma once

#include "transform/values.h"

namespace fastnp::transform {

/// The result's tangent for those of the operands.
array combined_tangent(const ir::Node& node, const array& of_x, const array& of_given);
/// The cotangents of the operands for the result's. maximum.at and the like share it among all that are equal to the result.
array combined_cotangent_of_x(const ir::Node& node, const array& g);
array combined_cotangent_of_given(const ir::Node& node, const array& g);

}  // namespace fastnp::transform
