// The sizes and alignments at which a kernel is compared with its code.
#pragma once

#include <vector>

#include "codegen/jit.h"
#include "shape/dim.h"

namespace fastnp::codegen {

struct ProofCase {
    std::vector<std::int64_t> sizes;  // values of the Sizes table, by id
    std::vector<std::uint64_t> past;  // bytes past a multiple of 64 at which each buffer begins
};

/// The most telling ones first: for the sizes that vary, all numbers that leave any rest of vectors and unrolled steps, and some that need several blocks
/// of each kind; for those that do not, the ones they have.
std::vector<ProofCase> proof_cases(const Job& job, const shape::Sizes& sizes);

}  // namespace fastnp::codegen
