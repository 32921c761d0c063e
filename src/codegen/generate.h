// A module for the host on its way to object code.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "codegen/external.h"
#include "codegen/jit.h"
#include "codegen/llvm.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/Target/TargetMachine.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

struct Emitted {
    std::unique_ptr<llvm::LLVMContext> context;
    std::unique_ptr<llvm::Module> module;
    std::unique_ptr<llvm::TargetMachine> target;
    std::vector<std::string> symbols;
    std::map<std::string, External> externals;
};

/// An empty one.
Emitted new_module(Effort effort = Effort::full);
/// InternalError where LLVM finds it malformed, in debug builds.
void check_module(llvm::Module& module);
/// Object code, or assembly.
llvm::SmallVector<char, 0> generate(Emitted& emitted, llvm::CodeGenFileType type);
std::string text_of(const Emitted& emitted);

}  // namespace fastnp::codegen
