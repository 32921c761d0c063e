// Powers of one number by 2, 3 and 1/2 that are the C library's bit by bit, without a call for nearly all numbers.
#pragma once

#include "codegen/llvm.h"

namespace fastnp::codegen {

/// Whether there is a short way for an exponent, on this machine.
bool has_near_power(double exponent);

/// x ** exponent of a float64. `call` gives the C library's result, where that is not certain without it. The builder's block ends in a branch then, and
/// the result is in another one.
llvm::Value* near_power(llvm::IRBuilderBase& ir, llvm::Value* x, double exponent, llvm::function_ref<llvm::Value*()> call);

}  // namespace fastnp::codegen
