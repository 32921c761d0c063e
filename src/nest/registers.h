// How many registers a thread of a GPU's kernel may have. The driver's assembler takes what makes a single thread quick, however few there is room for
// then: Black-Scholes is a tenth faster with 40 than with as many as it likes (H200).
#pragma once

#include "nest/grid.h"

namespace fastnp::nest {

/// So many that a multiprocessor has room for as many threads as it takes to be busy, where what a thread computes seems to fit; 0: as many as the
/// assembler likes.
int registers_for_many_threads(const Kernel& kernel, const Grid& grid);

}  // namespace fastnp::nest
