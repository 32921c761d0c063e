// Loop kernels to LLVM IR.
#pragma once

#include <map>
#include <string>

#include "codegen/external.h"
#include "codegen/llvm.h"
#include "nest/kernel.h"

namespace fastnp::codegen {

/// What the emitter must know of the machine.
struct Machine {
    int vector_bytes = 16;      // of a native register; 1 where there are no vectors
    bool masked_memory = false; // masked loads and stores are cheap for every element size
};

/// Writes `void symbol(ptr pointers, ptr sizes, i64 begin, i64 end, ptr scratch)`: outer points [begin, end) of the kernel. `pointers` holds a base
/// address per buffer, `sizes` the values of the Sizes table by id. Functions outside the module are added to `externals`.
void emit(const nest::Kernel& kernel, const nest::Schedule& schedule, const Machine& machine, llvm::Module& module, const std::string& symbol,
          std::map<std::string, External>& externals);

}  // namespace fastnp::codegen
