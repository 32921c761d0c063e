// Loop kernels as text, and from it.
#pragma once

#include <string>
#include <string_view>

#include "nest/kernel.h"

namespace fastnp::nest {

/// A kernel, and how it is run, with the sizes that they name.
struct KernelText {
    Kernel kernel;
    Schedule schedule;
    shape::Sizes sizes;
};

/// What to_string() leaves out, as it says nothing about what is computed: what is known of buffers, names of ops, and how points are handed out.
std::string whole_text(const Kernel& kernel, const Schedule& schedule, const shape::Sizes& sizes);

/// The kernel of a text, which is verified. `to_string(parse(text)) == text` for what to_string() gives, and `whole_text` for what that gives, of which
/// the kernel has all that its code depends on. Of to_string()'s, memory may lie anywhere, and all units are one. Written by hand a text may have empty
/// lines and comments (`; ...`). ValueError that names line and column where it is no kernel.
///
///     size n = 8                                              a symbol, as ir::parse has them
///     kernel rows(b0: float64, b1: float64 out)               dtypes; what is written; whole: `aligned`, `past 16`, `checked`, `by value`, `read`,
///     `unread`
///       axis i0 < n                                           whole: `about 8`
///       axis i1 < 3 inner lanes unroll 4 jammed
///       i0 counts blocks of 64 of n
///       accumulators in tiles
///       streaming stores
///       hands out n units of 80, blocks of 64 lanes, 1 of them    whole
///       inner points n                                        whole
///       ops sum, exp                                          whole
///       row 0 : float64                                       a scratch row that no stage keeps
///       %0 = load b0[0 + i0*24 + i1*8] if %2 : float64        bytes; also `gather b0[0] + %1*8 of n mode 1 if %2`
///       %1 = exp %0 : float64                                 also `constant 1.5`, `index 0 + 1*i0`, `inside 0 + 1*i0 < n`, `extent n`
///       %2 = result of fold 0 : float64                       also `scratch 0`
///       stage 0
///         fold 0 = add over %1
///         scratch 0 = %1
///         b1[0 + i0*8] = %1                                   a store at each inner point
///       b1[0 + i0*8] = %2                                     a store at each outer point
KernelText parse(std::string_view text);

}  // namespace fastnp::nest
