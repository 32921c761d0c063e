// What folds are for every target.
#pragma once

#include <vector>

#include "codegen/value.h"
#include "nest/kernel.h"

namespace fastnp::codegen {

/// What a fold starts from. NumPy starts sums from 0.0, so those of -0.0 alone are 0.0.
Value identity_of(Builder& b, const nest::Fold& fold);

/// Whether it rounds, so that the order of what it combines matters.
bool rounds(const nest::Fold& fold);

Value combine(Builder& b, const nest::Fold& fold, const Value& x, const Value& y);

/// Neighbours combined, then neighbouring results, until one is left.
Value pairwise(Builder& b, const nest::Fold& fold, std::vector<Value> values);

}  // namespace fastnp::codegen
