// Derivatives of numpy.ufunc.accumulate and of what is reduced element after element.
#pragma once

#include "transform/values.h"

namespace fastnp::transform {

/// Whether a fold is one of its elements: its change is shared among those that are equal to it.
inline bool chooses_extremes(Op fold) { return fold == Op::max || fold == Op::min || fold == Op::nummax || fold == Op::nummin; }

/// The result's tangent for the operand's. Of maximum, minimum, fmax and fmin it is that of the first element with the running value. TypeError for ops
/// without a derivative.
array accumulated_tangent(const ir::Node& node, const array& tangent);
/// The operand's cotangent for the result's.
array accumulated_cotangent(const ir::Node& node, const array& g);

}  // namespace fastnp::transform
