// Arithmetic of Python's own floats, beside NumPy's in one program: no floating-point error of theirs is told.
#pragma once

#include "codegen/value.h"
#include "ir/op.h"

namespace fastnp::codegen {

/// x op y of float64 numbers, for add, subtract, multiply and divide, without a flag being raised. Numbers of usual size take an instruction; of others a
/// function is called (eager/quiet.h). The builder's block ends in a branch then, and the result is in another one.
llvm::Value* quiet_op(Builder& b, ir::Op op, llvm::Value* x, llvm::Value* y);

}  // namespace fastnp::codegen
