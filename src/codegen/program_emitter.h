// Emits a program over numbers as one function of LLVM IR.
#pragma once

#include <map>
#include <string>

#include "codegen/external.h"
#include "codegen/llvm.h"
#include "ir/program.h"

namespace fastnp::codegen {

/// Adds the function to the module; `externals`: what it calls.
void emit(const ir::Program& program, llvm::Module& module, const std::string& symbol, std::map<std::string, External>& externals);

}  // namespace fastnp::codegen
