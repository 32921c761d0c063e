// The order in which a kernel's folds combine what they fold: by lanes, by copies side by side, and by partial sums. Floating-point results depend on it,
// so whoever runs a kernel (codegen, interpret) takes it from here.
#pragma once

#include "base/for_codegen.h"
#include "eager/isa.h"
#include "fastnp/scalar.h"
#include "nest/kernel.h"

namespace fastnp::nest {

/// Bytes of a vector register that code of a level uses; 1: it uses none.
FASTNP_FOR_CODEGEN int vector_bytes_of(eager::Isa level);

/// Vector lanes for a kernel: a register of its widest element.
FASTNP_FOR_CODEGEN int lanes_of(const Kernel& kernel, int vector_bytes);

/// Whether a fold rounds, so that the order of what it combines matters.
FASTNP_FOR_CODEGEN bool rounds(const Fold& fold);

/// What a fold starts from. NumPy starts sums from 0.0, so those of -0.0 alone are 0.0.
FASTNP_FOR_CODEGEN Scalar identity_of(const Fold& fold);

/// Steps along the lanes, for each of which there is an accumulator, after which accumulators become a partial sum.
inline constexpr std::int64_t cascade_steps = 16;
/// The levels of partial sums: level n holds those of 2**n times as many steps.
inline constexpr int cascade_levels = 48;
/// Passes over a tile of accumulators, before they are added to the tile of totals.
inline constexpr std::int64_t passes_each = 32;

/// Whether lanes run along an inner axis, so that they are folded into one.
FASTNP_FOR_CODEGEN bool lanes_are_folded(const Kernel& kernel, const Schedule& schedule);
/// Steps of the unrolled axis that are folded side by side.
FASTNP_FOR_CODEGEN int folded_steps(const Kernel& kernel, const Schedule& schedule);
/// Whether the sums of a stage are pairwise, in partial sums that work like a binary counter.
FASTNP_FOR_CODEGEN bool cascades(const Kernel& kernel, const Schedule& schedule, const Stage& stage, int lanes);
/// How many steps along the lanes become one partial sum.
FASTNP_FOR_CODEGEN std::int64_t cascade_chunk(const Schedule& schedule, int lanes);
/// Whether tiles of accumulators are added up in a second tile.
FASTNP_FOR_CODEGEN bool has_total_tiles(const Kernel& kernel, const Schedule& schedule);

}  // namespace fastnp::nest
