// Radix sorts of lines, as their kernels share them: keys are sorted by 8 bits a pass, the lowest first, so that what is equal keeps its order. Before the
// first pass the elements are counted by each 8 bits, for all passes at once; so it is known where those with some bits begin, and which passes would move
// nothing, as all elements of a line have the same bits. These are left out.
#pragma once

#include "threads.h"

namespace fastnp::kernels {

constexpr int bins = codegen::radix_bins;

/// What a pass does with a line, as bits: whether it moves elements at all; whether these come from where the line was at first; whether they go to the
/// memory besides instead of the result's (between which they go back and forth, so that the last ones go to the result); whether it is the last one; and
/// which of two sets of words its blocks tell each other their counts by.
enum Route : std::uint32_t { moves = 1, from_start = 2, to_spare = 4, is_last = 8, second_words = 16 };

}  // namespace fastnp::kernels
