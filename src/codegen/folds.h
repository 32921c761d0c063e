// What folds are for every target.
#pragma once

#include <vector>

#include "codegen/value.h"
#include "nest/order.h"

namespace fastnp::codegen {

using nest::rounds;

/// What a fold starts from.
inline Value identity_of(Builder& b, const nest::Fold& fold) { return b.constant(nest::identity_of(fold), fold.dtype); }

Value combine(Builder& b, const nest::Fold& fold, const Value& x, const Value& y);

/// Neighbours combined, then neighbouring results, until one is left.
Value pairwise(Builder& b, const nest::Fold& fold, std::vector<Value> values);

}  // namespace fastnp::codegen
