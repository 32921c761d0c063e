// Loop kernels to code for the threads of a GPU, as LLVM IR for NVPTX.
#pragma once

#include <string>
#include <vector>

#include "codegen/device_code.h"
#include "codegen/llvm.h"
#include "nest/grid.h"

namespace fastnp::codegen {

/// Writes the kernel `symbol(buffers..., sizes..., units)`: a base address per buffer (or the element itself: Buffer::by_value), the values of sizes_of(),
/// and the units to be done. A grid of any number of blocks does all units; blocks have grid.block threads. Addresses, offsets and strides are multiples
/// of the elements' alignment (a GPU can't load others); whether they are multiples of whole vectors is found when the kernel runs.
void emit_grid(const nest::Kernel& kernel, const nest::Grid& grid, llvm::Module& module, const std::string& symbol);

}  // namespace fastnp::codegen
