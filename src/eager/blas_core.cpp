// Which of its kernels OpenBLAS takes. It knows processors by their models: on one that is newer than itself it falls back to kernels of 2004, a tenth as
// fast. What such a processor can do decides here, as OPENBLAS_CORETYPE does where it is set. See the linker's options --wrap in cmake/dependencies.cmake.
#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>

extern "C" {
extern void* gotoblas;  // OpenBLAS's own: the kernels that it took
char* gotoblas_corename();  // ... and what they are called
void __real_gotoblas_dynamic_init();  // NOLINT: the linker's names
char* __real_getenv(const char* name) noexcept;  // NOLINT: the linker's names
}

namespace {

constexpr const char* variable = "OPENBLAS_CORETYPE";

// While OpenBLAS looks for it: what it finds in that variable. It does so once, as the library is loaded.
const char* chosen = nullptr;

bool has_vectors_of_256_bits(std::string_view core) {
    constexpr std::array names{"Haswell", "Zen", "SkylakeX", "Cooperlake", "SapphireRapids"};
    for (const std::string_view each : names) {
        if (core == each) return true;
    }
    return false;
}

#if defined(__x86_64__)
const char* core_for_this_processor() {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return nullptr;
    const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512bw") &&
                            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return has_avx512 ? "SkylakeX" : "Haswell";
}
#else
const char* core_for_this_processor() { return nullptr; }
#endif

}  // namespace

extern "C" {

char* __wrap_getenv(const char* name) noexcept {  // NOLINT: the linker's names
    if (chosen != nullptr && std::strcmp(name, variable) == 0) return const_cast<char*>(chosen);  // NOLINT: its users only read
    return __real_getenv(name);
}

void __wrap_gotoblas_dynamic_init() {  // NOLINT: the linker's names
    __real_gotoblas_dynamic_init();
    if (__real_getenv(variable) != nullptr || gotoblas == nullptr || has_vectors_of_256_bits(gotoblas_corename())) return;
    chosen = core_for_this_processor();
    if (chosen == nullptr) return;
    gotoblas = nullptr;
    __real_gotoblas_dynamic_init();
    chosen = nullptr;
}

}  // extern "C"
