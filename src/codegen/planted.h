// Faults in LLVM's code, planted by tests (base/planted.h).
#pragma once

#include <string_view>

#include "codegen/llvm.h"

namespace fastnp::codegen {

/// Puts the fault that is planted at a stage into a function, at its first instruction of this opcode ("fsub").
///
///     swap    the two operands change places
///     NAME    another binary operation of the same operands
///     skip    the instruction gives its first operand
///     drop    it is left out (stores into arrays)
///     race    no threads of a device wait for each other
void plant(llvm::Function& function, std::string_view stage);

}  // namespace fastnp::codegen
