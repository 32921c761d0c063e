// The C library's functions of one element, as Python's `math` and NumPy's scalars call them.
#pragma once

#include "base/for_codegen.h"
#include "fastnp/dtype.h"
#include "ir/op.h"

namespace fastnp::eager {

/// For float64 and float32: its address, or null where there is none by the op's meaning.
FASTNP_FOR_CODEGEN void* libm_function(ir::Op op, Dtype dtype);

}  // namespace fastnp::eager
