// Kernels to object code: LLVM IR, a trimmed list of passes (the emitter writes vector code that needs no search), one code generation.
#pragma once

#include <span>

#include "codegen/generate.h"
#include "codegen/jit.h"
#include "codegen/stored_code.h"

namespace fastnp::codegen {

/// Object code of kernels, made here and now, by all threads: a module for each. `times`: those of the module that took longest; `prefix`: of the
/// kernels' symbols.
StoredCode make_objects(std::span<const Job> jobs, Effort effort, Code& times, const std::string& prefix = {});

/// A kernel's LLVM IR, before or after LLVM's passes.
Emitted emitted_code(const Job& job, Stage stage);

/// Object code of a program over numbers, under a name; empty: that of where it comes from.
StoredCode make_object(const ir::Program& program, Code& times, const std::string& symbol = {});

}  // namespace fastnp::codegen
