#include "eager/isa.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "fastnp/error.h"

namespace fastnp::eager {

namespace {

Isa best_of_machine() {
#if defined(__x86_64__)
    const bool v3 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 && __builtin_cpu_supports("bmi2") != 0 &&
                    __builtin_cpu_supports("popcnt") != 0;
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
                    __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512vl") != 0;
    if (v4) return Isa::v4;
    return v3 ? Isa::v3 : Isa::base;
#else
    return Isa::scalar;
#endif
}

Isa find() {
    static constexpr std::array<std::pair<std::string_view, Isa>, 4> names{
        {{"scalar", Isa::scalar}, {"base", Isa::base}, {"v3", Isa::v3}, {"v4", Isa::v4}}};
    const Isa best = best_of_machine();
    if (!isa_is_chosen()) return best;
    const std::string word = std::getenv("FASTNP_ISA");
    for (const auto& [name, isa] : names) {
        if (word == name) return std::min(isa, best);
    }
    throw ValueError("FASTNP_ISA must be 'scalar', 'base', 'v3' or 'v4', not '" + word + "'");
}

}  // namespace

bool isa_is_chosen() {
    const char* word = std::getenv("FASTNP_ISA");
    return word != nullptr && *word != '\0';
}

Isa host_isa() {
    static const Isa found = find();
    return found;
}

}  // namespace fastnp::eager
