// NumPy's RandomState in memory, for native programs that draw from it.
#pragma once

#include <cstddef>

namespace fastnp::detail {

/// Of NumPy's `bitgen_t` (numpy/random/bitgen.h).
inline constexpr std::size_t bit_stream_bytes = 5 * sizeof(void*);

/// What a RandomState has behind its `bitgen_t` (`aug_bitgen_t`): where that is, and the second one of a pair of normal numbers, which comes next.
struct PairedNormals {
    void* stream;
    int has_next;
    double next;
};

}  // namespace fastnp::detail
