#pragma once

#include "ir/op.h"

namespace fastnp::ops {

/// Whether only the truth of an op's operands counts.
inline bool is_logical(ir::Op op) { return op == ir::Op::logical_and || op == ir::Op::logical_or || op == ir::Op::logical_xor; }

}  // namespace fastnp::ops
