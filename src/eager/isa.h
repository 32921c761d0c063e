// Kernels come compiled for three levels of x86: any, with AVX2 (x86-64-v3), with AVX-512 (x86-64-v4). The host's level is found once. Other
// machines, and "scalar", run what the compiler makes of plain loops, and generated code without vectors.
#pragma once

#include <cstdint>

#include "base/for_codegen.h"

namespace fastnp::eager {

enum class Isa : std::uint8_t { scalar, base, v3, v4 };

/// The level that kernels and generated code are for: the highest that this machine has, or a lower one by FASTNP_ISA=scalar|base|v3|v4
/// (elementary functions and sums then have the bits that they have on a machine of that level). Throws ValueError for another word.
FASTNP_FOR_CODEGEN Isa host_isa();

/// Whether FASTNP_ISA chose the level; generated code is then for any machine of the level, not for this very one.
FASTNP_FOR_CODEGEN bool isa_is_chosen();

// For functions of a level: what they call is inlined, so that it is compiled for the level too.
#if defined(__x86_64__)
#define FASTNP_V3 __attribute__((target("avx,avx2,bmi,bmi2,f16c,fma,lzcnt,popcnt"), flatten))
#define FASTNP_V4 __attribute__((target("avx,avx2,bmi,bmi2,f16c,fma,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl"), flatten))
#else
#define FASTNP_V3
#define FASTNP_V4
#endif

// Iterations of the loop that follows are independent: a result may lie on its operand, never across a neighbour.
#if defined(__clang__)
#define FASTNP_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define FASTNP_INDEPENDENT _Pragma("GCC ivdep")
#endif

/// One of a kernel's three versions.
template <class Kernel>
Kernel for_host(Kernel base, Kernel v3, Kernel v4) {
    switch (host_isa()) {
        case Isa::v4: return v4;
        case Isa::v3: return v3;
        case Isa::base:
        case Isa::scalar: break;
    }
    return base;
}

}  // namespace fastnp::eager
