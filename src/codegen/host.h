// The host as a target: features, vector width, the vector math of its C library.
#pragma once

#include "codegen/emit.h"
#include "codegen/jit.h"

namespace llvm {
class TargetMachine;
class Function;
}  // namespace llvm

namespace fastnp::codegen {

/// Starts LLVM: the host's code generator, and the options of all targets.
void initialize_llvm();
/// The options alone.
void set_llvm_options();
const Machine& host_machine();
/// A new target machine for the host (one per compilation: they are not thread-safe).
std::unique_ptr<llvm::TargetMachine> make_target_machine(Effort effort = Effort::full);
/// Marks a function as code for the host's full feature set and vector width.
void set_host_attributes(llvm::Function& function);
std::string host_name();
/// All of the host that code depends on.
std::string target_text();

}  // namespace fastnp::codegen
