// What folds are for every target.
#pragma once

#include <vector>

#include "codegen/value.h"
#include "nest/kernel.h"

namespace fastnp::codegen {

/// What changes no element that it is combined with.
Value identity_of(Builder& b, const nest::Fold& fold);

/// Whether it rounds, so that the order of what it combines matters.
bool rounds(const nest::Fold& fold);

Value combine(Builder& b, const nest::Fold& fold, const Value& x, const Value& y);

/// Neighbours combined, then neighbouring results, until one is left.
Value pairwise(Builder& b, const nest::Fold& fold, std::vector<Value> values);

/// The result of a fold over as many elements as `points` says: -0.0 is the identity of sums, but an empty sum is +0.0.
Value result_of(Builder& b, const nest::Fold& fold, llvm::Value* points, Value value);

}  // namespace fastnp::codegen
