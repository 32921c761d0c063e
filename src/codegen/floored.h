// Quotients and remainders of whole numbers as Python has them.
#pragma once

#include "codegen/llvm.h"

namespace fastnp::codegen {

/// x // y, or x % y, of int64: the remainder takes the divisor's sign, and the quotient goes down with it. y is not 0, nor is it -1 where x is the least
/// number. The builder's block may end in a branch then, and the result is in another one.
llvm::Value* floored(llvm::IRBuilderBase& ir, bool remainder, llvm::Value* x, llvm::Value* y);

}  // namespace fastnp::codegen
