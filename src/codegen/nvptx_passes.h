// What is done to kernels for GPUs beside LLVM's own passes.
#pragma once

#include "codegen/llvm.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/IR/PassManager.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

bool is_kernel(const llvm::Function& function);

/// A large function that a kernel calls at many places is called there, and not inlined at each: ptxas takes seconds for a hundred sines (an unrolled loop
/// has them).
void keep_calls_of_large_functions(llvm::Module& module);

/// Small innermost loops that load have several steps' loads on their way at once: memory is far, and a thread that waits for each does nothing else.
class UnrollLoads : public llvm::PassInfoMixin<UnrollLoads> {
public:
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

/// An attribute of kernels whose stores are put in turn.
inline constexpr const char* stores_in_turn = "fastnp-stores-in-turn";
/// LLVM's note at a loop: how many of its turns are one.
inline constexpr const char* unroll_count = "llvm.loop.unroll.count";

/// Where such a kernel stores several times after all loads, each store and what is computed for it alone become a block of their own, under a condition
/// that always holds. In one block ptxas puts all stores at its end, so that memory has loads alone to do first and stores alone then; so, each comes when
/// the loads that it needs have: 2 % of a stencil's time on an H200.
void put_stores_in_turn(llvm::Module& module);

/// ptxas (CUDA 13.0) makes one instruction of max(max(-a, -b), -c) of integers, VIMNMX3, and loses the sign of b. And it negates numbers of 16 bits, and
/// takes their magnitudes, in 32: -(-32768) is 32768 where it is compared, shifted or widened. Beside minima and maxima, and of 16 bits anywhere, negative
/// numbers are subtracted from a zero that it does not know to be one.
void hide_negations(llvm::Function& function);

/// ptxas (CUDA 13.0) takes unsigned numbers that are converted to floats for signed ones where instructions before have taken them out of others, sign and
/// all: int8 to uint32 to float32 of four elements that are loaded at once. It is not shown that they are these.
void hide_sign_extensions(llvm::Function& function);

/// Kernels say at once that the next one may begin, which happens when all their blocks have, and wait for the one before them, and so for all before
/// that. What it wrote is there then. Blocks are on the GPU by that time: on an H200 1.7 microseconds fewer pass between two kernels.
void overlap_launches(llvm::Module& module);

}  // namespace fastnp::codegen
