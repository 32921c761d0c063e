// Calls of loops that threads share (ir/shared.h, base/shared_loop.h) in generated code.
#pragma once

#include <span>

#include "codegen/program_memory.h"
#include "codegen/value.h"
#include "ir/shared.h"

namespace fastnp::codegen {

// Numbers go in and out of programs as words: integers as they are, floating ones as float64.
llvm::Value* from_word(Builder& b, llvm::Value* word, Dtype dtype);
llvm::Value* to_word(Builder& b, llvm::Value* part, Dtype dtype);

struct SharedFunction {
    const ir::SharedLoop& loop;
    llvm::Function* run;
};

/// What a run is handed.
struct SharedHanded {
    std::span<const Value> numbers;  // the loop's values and variables
    std::span<llvm::Value* const> parts;
    llvm::Value *interruption, *words;
};

/// Whether all iterations are done. Else an exit was taken, and has put into words what it hands out.
llvm::Value* call_shared(Builder& b, ProgramMemory& memory, const SharedFunction& function, const SharedHanded& handed, llvm::Value* first,
                         llvm::Value* end);

/// In the function of such a loop: this is a way out besides its end.
void mark_exit(Builder& b);
/// After the passes: where no such way is left, no copies are made of what the loop stores to.
void forget_exits(llvm::Module& module);

}  // namespace fastnp::codegen
