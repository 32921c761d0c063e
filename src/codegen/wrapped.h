// Integers of programs that go past their dtype.
#pragma once

#include "codegen/value.h"
#include "ir/program.h"

namespace fastnp::codegen {

/// Whether a step's op over x and y goes past the dtype that it computes in.
llvm::Value* overflow_of(Builder& b, const ir::Step& step, llvm::Value* x, llvm::Value* y);
/// An int64 that is below 0 where it does: by signs, as vectors can; products have no such way.
llvm::Value* wrapped_of(Builder& b, const ir::Step& step, llvm::Value* x, llvm::Value* y);

}  // namespace fastnp::codegen
