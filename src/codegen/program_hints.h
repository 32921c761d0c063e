// What LLVM's passes are told beside the code of a program: what a loop is to become, and which branches stay branches.
#pragma once

#include <vector>

#include "codegen/llvm.h"
#include "ir/program.h"

namespace fastnp::codegen {

/// Asks LLVM's passes for something ("llvm.loop.vectorize.enable") in the loop that `back` closes.
void hint_loop(llvm::BranchInst* back, const char* what, llvm::ConstantInt* value);

/// Weights of a branch whose condition hardly ever holds.
llvm::MDNode* rarely(llvm::LLVMContext& context);

/// Of each step whether it is an `if_` that keeps the extreme so far: `if x[i] > most: most = x[i]` over floats. Such a condition seldom holds, so a
/// branch is foreseen, and iterations go on side by side; by a select each would wait for the one before it, as NaN keeps these from being vectors.
std::vector<bool> running_extremes(const ir::Program& program);

}  // namespace fastnp::codegen
