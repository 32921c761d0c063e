// Elementary functions of vectors by xsimd, in the place of the C library's where it has none (glibc before 2.35 has exp, log, sin, cos and pow alone).
#pragma once

#include "eager/isa.h"
#include "fastnp/dtype.h"
#include "ir/op.h"

namespace fastnp::eager {

/// The address of a function of one vector of float32 or float64, as wide as the instruction set's (16 bytes for `base`), which takes and returns it in a
/// register; null where xsimd has none. This machine must have the instruction set. Results are within 4 ulp; arguments beyond those of xsimd_math.def
/// have the C library's results and floating-point errors.
void* xsimd_function(ir::Op op, Dtype dtype, Isa isa);

namespace xsimd_math {

void* base_function(ir::Op op, Dtype dtype);
void* v3_function(ir::Op op, Dtype dtype);
void* v4_function(ir::Op op, Dtype dtype);

}  // namespace xsimd_math

}  // namespace fastnp::eager
