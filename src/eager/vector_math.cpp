#include "eager/vector_math.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "base/fork.h"
#include "eager/isa.h"
#include "eager/xsimd_math.h"
#include "fastnp/error.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace fastnp::eager {

namespace {

struct Abi {
    char letter;  // of the vector ABI; none without vectors
    int bytes;
};

Abi widest(Isa level) {
#if defined(__x86_64__)
    switch (level) {
        case Isa::v4: return {'e', 64};
        case Isa::v3: return {'d', 32};
        case Isa::base:
        case Isa::scalar: return {'b', 16};  // found on x86 only
    }
#else
    (void)level;
#endif
    return {0, 0};
}

using Table = std::map<std::pair<ir::Op, Dtype>, VectorFunction>;

Table made_table(Isa level) {
    Table table;
    const Abi abi = widest(level);
    if (abi.bytes == 0) return table;
    const VectorMath chosen = vector_math();
    void* library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
    auto add = [&](ir::Op op, const char* stem, int operands, Dtype dtype) {
        const int lanes = abi.bytes / static_cast<int>(itemsize_of(dtype));
        const std::string name =
            std::string{abi.letter, 'N'} + std::to_string(lanes) + (operands == 2 ? "vv_" : "v_") + stem + (dtype == Dtype::float32 ? "f" : "");
        const std::string of_library = "_ZGV" + name;
        void* theirs = library == nullptr ? nullptr : dlsym(library, of_library.c_str());
        void* xsimds = chosen == VectorMath::libmvec ? nullptr : xsimd_function(op, dtype, level);
        if (xsimds != nullptr && (theirs == nullptr || chosen == VectorMath::xsimd)) {
            table[{op, dtype}] = {"fastnp_xsimd_" + name, xsimds, lanes, operands};
        } else if (theirs != nullptr) {
            table[{op, dtype}] = {of_library, theirs, lanes, operands};
        }
    };
#define VECTOR(name, stem, operands)                    \
    add(ir::Op::name, #stem, operands, Dtype::float32); \
    add(ir::Op::name, #stem, operands, Dtype::float64);
#include "eager/vector_math.def"
    return table;
}

const Table& table() {
    return base::made_once([] { return std::make_unique<const Table>(made_table(host_isa())); });  // it opens a library, which takes a while
}

#if defined(__x86_64__)

// One call on whole vectors: GNU vector types so that the compiler passes them in registers, as the vector ABI wants.
#define FASTNP_RUNNER(name, isa, T, V)                                                                                      \
    __attribute__((target(isa))) void name(const VectorFunction& f, const void* const* in, void* out, std::int64_t count) { \
        using One = V (*)(V);                                                                                               \
        using Two = V (*)(V, V);                                                                                            \
        constexpr std::int64_t lanes = sizeof(V) / sizeof(T);                                                               \
        auto call = [&](const T* x, const T* y, T* to) __attribute__((target(isa), always_inline)) {                        \
            V a, b, r;                                                                                                      \
            std::memcpy(&a, x, sizeof(V));                                                                                  \
            if (f.operands == 2) {                                                                                          \
                std::memcpy(&b, y, sizeof(V));                                                                              \
                r = reinterpret_cast<Two>(f.address)(a, b);                                                                 \
            } else {                                                                                                        \
                r = reinterpret_cast<One>(f.address)(a);                                                                    \
            }                                                                                                               \
            std::memcpy(to, &r, sizeof(V));                                                                                 \
        };                                                                                                                  \
        const T* x = static_cast<const T*>(in[0]);                                                                          \
        const T* y = f.operands == 2 ? static_cast<const T*>(in[1]) : x;                                                    \
        T* to = static_cast<T*>(out);                                                                                       \
        std::int64_t i = 0;                                                                                                 \
        for (; i + lanes <= count; i += lanes) call(x + i, y + i, to + i);                                                  \
        if (i == count) return;                                                                                             \
        alignas(64) T px[lanes], py[lanes], pr[lanes];                                                                      \
        for (std::int64_t k = 0; k < lanes; ++k) {                                                                          \
            px[k] = x[i + k < count ? i + k : i];                                                                           \
            py[k] = y[i + k < count ? i + k : i];                                                                           \
        }                                                                                                                   \
        call(px, py, pr);                                                                                                   \
        std::memcpy(to + i, pr, static_cast<std::size_t>(count - i) * sizeof(T));                                           \
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wignored-attributes"
#pragma GCC diagnostic ignored "-Wpsabi"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
FASTNP_RUNNER(run_e_float, "avx512f,avx512dq,avx512bw,avx512vl", float, __m512)
FASTNP_RUNNER(run_e_double, "avx512f,avx512dq,avx512bw,avx512vl", double, __m512d)
FASTNP_RUNNER(run_d_float, "avx2,fma", float, __m256)
FASTNP_RUNNER(run_d_double, "avx2,fma", double, __m256d)
FASTNP_RUNNER(run_b_float, "sse2", float, __m128)
FASTNP_RUNNER(run_b_double, "sse2", double, __m128d)
#pragma GCC diagnostic pop
#undef FASTNP_RUNNER

#endif

}  // namespace

VectorMath vector_math() {
    static const VectorMath chosen = [] {
        const char* given = std::getenv("FASTNP_VECTOR_MATH");  // NOLINT: nothing here changes the environment
        const std::string_view word = given == nullptr ? "" : given;
        if (word.empty()) return VectorMath::either;
        if (word == "xsimd") return VectorMath::xsimd;
        if (word == "libmvec") return VectorMath::libmvec;
        throw ValueError("FASTNP_VECTOR_MATH must be 'xsimd' or 'libmvec', not '" + std::string(word) + "'");
    }();
    return chosen;
}

const VectorFunction* vector_function(ir::Op op, Dtype dtype, Isa level) {
    if (level == host_isa()) return vector_function(op, dtype);
    static const std::array<Table, 4> made{made_table(Isa::scalar), made_table(Isa::base), made_table(Isa::v3), made_table(Isa::v4)};
    const Table& table = made[static_cast<std::size_t>(level)];
    const auto found = table.find({op, dtype});
    return found == table.end() ? nullptr : &found->second;
}

const VectorFunction* vector_function(ir::Op op, Dtype dtype) {
    const auto found = table().find({op, dtype});
    return found == table().end() ? nullptr : &found->second;
}

void run_vector_function(const VectorFunction& function, Dtype dtype, const void* const* operands, void* out, std::int64_t count) {
#if defined(__x86_64__)
    const bool single = dtype == Dtype::float32;
    switch (function.lanes * (single ? 4 : 8)) {
        case 64: single ? run_e_float(function, operands, out, count) : run_e_double(function, operands, out, count); break;
        case 32: single ? run_d_float(function, operands, out, count) : run_d_double(function, operands, out, count); break;
        default: single ? run_b_float(function, operands, out, count) : run_b_double(function, operands, out, count); break;
    }
#else
    (void)function, (void)dtype, (void)operands, (void)out, (void)count;
#endif
}

}  // namespace fastnp::eager
