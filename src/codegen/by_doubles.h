// Quotients and square roots of float32 on GPUs for code that runs seldom: any operands, no branches. `div.rn.f32` and `sqrt.rn.f32` call functions of the
// assembler's, for whose sake the driver's linker gives the whole kernel registers as functions that call others have them, though nothing is ever called.
#pragma once

#include "codegen/llvm.h"

namespace fastnp::codegen {

/// Rounded as IEEE 754 says, for all x and y (of float type).
llvm::Value* quotient_by_doubles(llvm::IRBuilder<>& ir, llvm::Value* x, llvm::Value* y);
/// The same of the root of any x.
llvm::Value* root_by_doubles(llvm::IRBuilder<>& ir, llvm::Value* x);

}  // namespace fastnp::codegen
