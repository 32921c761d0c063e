// Random numbers of any of NumPy's bit generators, one at a time, by the functions that it lends out: what a native program draws.
#pragma once

#include <cstdint>

#include "base/for_codegen.h"

namespace fastnp::eager {

/// NumPy's `bitgen_t` (numpy/random/bitgen.h), which its documentation gives to others.
struct BitStream {
    void* state;
    std::uint64_t (*next_uint64)(void*);
    std::uint32_t (*next_uint32)(void*);
    double (*next_double)(void*);
    std::uint64_t (*next_raw)(void*);
};

/// From 0 up to 1; of the standard normal and the standard exponential distribution (Generator's ways); a whole number from 0 to `range`.
FASTNP_FOR_CODEGEN double draw_uniform(BitStream* stream) noexcept;
FASTNP_FOR_CODEGEN double draw_normal(BitStream* stream) noexcept;
FASTNP_FOR_CODEGEN double draw_exponential(BitStream* stream) noexcept;
FASTNP_FOR_CODEGEN std::int64_t draw_integer(BitStream* stream, std::int64_t range) noexcept;

/// By the ways of Python's `random` (python_random.cpp): a whole number from 0 below `bound`, at least 1; of the standard normal distribution, for which
/// the stream has to be a detail::PythonRandom's.
FASTNP_FOR_CODEGEN std::int64_t draw_below(BitStream* stream, std::int64_t bound) noexcept;
FASTNP_FOR_CODEGEN double draw_gauss(BitStream* stream) noexcept;

/// By RandomState's ways (legacy_stream.cpp): of the standard normal distribution, for which detail::PairedNormals follow the stream in memory; of the
/// standard exponential one; a whole number from 0 to `range`.
FASTNP_FOR_CODEGEN double draw_legacy_normal(BitStream* stream) noexcept;
FASTNP_FOR_CODEGEN double draw_legacy_exponential(BitStream* stream) noexcept;
FASTNP_FOR_CODEGEN std::int64_t draw_masked(BitStream* stream, std::int64_t range) noexcept;

}  // namespace fastnp::eager
