// Whether a loop's states are better laid out with padded rows (pass::Layout).
#pragma once

#include "plan/plan.h"

namespace fastnp::plan {

/// Whether a body, as planned in C order, is kernels that read its states at rows over each other which lie differently to vectors: stencils over rows
/// that are no multiple of a vector.
bool gains_by_padding(const Plan& plan, const ir::Body& body, shape::Sizes& sizes);

/// Whether a body that is planned with padded rows gives each state as it takes it.
bool keeps_layout(const Plan& plan, const ir::Body& body, shape::Sizes& sizes);

}  // namespace fastnp::plan
