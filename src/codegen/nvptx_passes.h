// What is done to kernels for GPUs beside LLVM's own passes.
#pragma once

#include "codegen/llvm.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/IR/PassManager.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

bool is_kernel(const llvm::Function& function);

/// A function that a kernel calls at many places is called, and not inlined at each: ptxas takes seconds for a hundred sines (an unrolled loop has them).
void keep_calls_of_large_functions(llvm::Module& module);

/// Small innermost loops that load have several steps' loads on their way at once: memory is far, and a thread that waits for each does nothing else.
class UnrollLoads : public llvm::PassInfoMixin<UnrollLoads> {
public:
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// Kernels say at once that the next one may begin, which happens when all their blocks have, and wait for the one before them, and so for all before
/// that. What it wrote is there then. Blocks are on the GPU by that time: on an H200 1.7 microseconds fewer pass between two kernels.
void overlap_launches(llvm::Module& module);

}  // namespace fastnp::codegen
