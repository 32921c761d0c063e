// Powers of one number by 2 to 12 and 1/2 that are the C library's bit by bit, without a call for nearly all numbers.
#pragma once

#include <optional>

#include "codegen/llvm.h"

namespace fastnp::codegen {

/// The exponent, where it is a constant that has a short way on this machine.
std::optional<double> near_exponent(const llvm::Value* exponent);

/// x ** exponent of a float64. `call` gives the C library's result, where that is not certain without it. The builder's block ends in a branch then, and
/// the result is in another one.
llvm::Value* near_power(llvm::IRBuilderBase& ir, llvm::Value* x, double exponent, llvm::function_ref<llvm::Value*()> call);

}  // namespace fastnp::codegen
