#include "eager/isa.h"

namespace fastnp::eager {

namespace {

Isa find() {
#if defined(__x86_64__)
    const bool v3 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 && __builtin_cpu_supports("bmi2") != 0 &&
                    __builtin_cpu_supports("popcnt") != 0;
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
                    __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512vl") != 0;
    if (v4) return Isa::v4;
    if (v3) return Isa::v3;
#endif
    return Isa::base;
}

}  // namespace

Isa host_isa() {
    static const Isa found = find();
    return found;
}

}  // namespace fastnp::eager
