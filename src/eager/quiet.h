// Arithmetic that raises no flag of floating-point errors, whatever it meets: Python's own floats overflow without a word.
#pragma once

#include "base/for_codegen.h"
#include "ir/op.h"

namespace fastnp::eager {

/// Of two float64 numbers: the address of a `double(double, double)`, or null where there is none. For add, subtract, multiply and divide.
FASTNP_FOR_CODEGEN void* quiet_function(ir::Op op);

}  // namespace fastnp::eager
