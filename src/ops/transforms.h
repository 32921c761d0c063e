// The Fourier transforms among the ops.
#pragma once

#include "ir/op.h"

namespace fastnp::ops {

inline bool is_transform(ir::Op op) { return op == ir::Op::fft || op == ir::Op::rfft || op == ir::Op::irfft; }

}  // namespace fastnp::ops
