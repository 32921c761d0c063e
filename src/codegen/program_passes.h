// Passes over the code of programs beside LLVM's.
#pragma once

#include "codegen/llvm.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/IR/PassManager.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

/// Extremes of several whole numbers, one of which comes of the iteration before (`min(up + 1, left + 1, diagonal + cost)`): that one is joined last, so
/// an iteration waits for one of them and not for all.
struct JoinLateOnesLast : llvm::PassInfoMixin<JoinLateOnesLast> {
    static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// A way out of a loop that asks for something of a choice between two numbers that the loop does not change (`match if a == b else mismatch`, as int32)
/// asks it of both, which is known before the loop. (To leave a program where there is no need is always right.)
struct AskBothChoices : llvm::PassInfoMixin<AskBothChoices> {
    static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// Of a program's function: at which byte of its words exits tell of what wrapped around.
constexpr const char* note_attribute = "fastnp-note";

/// What is rare in innermost loops that are not vectors becomes a branch, when all other passes are done: subscripts below 0, which count from the end,
/// and sums of NumPy's whole numbers that wrap around. As data both take three instructions more in each iteration.
struct BranchToRareCases : llvm::PassInfoMixin<BranchToRareCases> {
    static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace fastnp::codegen
