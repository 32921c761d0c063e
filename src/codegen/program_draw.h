// Draws of random numbers in programs (eager/stream.h).
#pragma once

#include "codegen/value.h"
#include "ir/program.h"

namespace fastnp::codegen {

/// The number that a step `draw` gives, of the bit generator at an address. `most`: of whole numbers, else null.
llvm::Value* drawn(Builder& b, const ir::Step& step, llvm::Value* address, llvm::Value* most);

}  // namespace fastnp::codegen
