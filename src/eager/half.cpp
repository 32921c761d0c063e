#include "eager/half.h"

#include <cmath>

#include "eager/isa.h"
#include "fastnp/detail/float_flags.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace fastnp::eager {

namespace {

template <class Half>
void widen_base(const Half* from, float* to, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[i]);
}
template <class Half>
void narrow_base(const float* from, Half* to, std::int64_t count) {
    bool overflows = false;
    {
        const fastnp::detail::KeptFloatFlags kept;  // comparisons with NaN, which are none of NumPy's
        for (std::int64_t i = 0; i < count; ++i) {
            to[i] = static_cast<Half>(from[i]);
            overflows = overflows || (std::isinf(static_cast<float>(to[i])) && !std::isinf(from[i]));
        }
    }
    if (overflows) detail::raise_float_flags(detail::float_overflow);
}

#if defined(__x86_64__)

__attribute__((target("avx,f16c"))) void widen_f16c(const float16_t* from, float* to, std::int64_t count) {
    std::int64_t i = 0;
    for (; i + 8 <= count; i += 8) _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
    for (; i < count; ++i) to[i] = _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(from[i].bits)));
}

__attribute__((target("avx,f16c"))) void narrow_f16c(const float* from, float16_t* to, std::int64_t count) {
    constexpr int nearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
    std::int64_t i = 0;
    for (; i + 8 <= count; i += 8) _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), _mm256_cvtps_ph(_mm256_loadu_ps(from + i), nearest));
    for (; i < count; ++i) to[i].bits = static_cast<std::uint16_t>(_mm_cvtsi128_si32(_mm_cvtps_ph(_mm_set_ss(from[i]), nearest)));
}

FASTNP_V3 void widen_v3(const bfloat16_t* from, float* to, std::int64_t count) { widen_base(from, to, count); }
FASTNP_V3 void narrow_v3(const float* from, bfloat16_t* to, std::int64_t count) { narrow_base(from, to, count); }

#else

constexpr auto widen_f16c = widen_base<float16_t>;
constexpr auto narrow_f16c = narrow_base<float16_t>;
constexpr auto widen_v3 = widen_base<bfloat16_t>;
constexpr auto narrow_v3 = narrow_base<bfloat16_t>;

#endif

}  // namespace

void widen(const float16_t* from, float* to, std::int64_t count) { (host_isa() == Isa::base ? widen_base<float16_t> : widen_f16c)(from, to, count); }
void widen(const bfloat16_t* from, float* to, std::int64_t count) { (host_isa() == Isa::base ? widen_base<bfloat16_t> : widen_v3)(from, to, count); }
void narrow(const float* from, float16_t* to, std::int64_t count) { (host_isa() == Isa::base ? narrow_base<float16_t> : narrow_f16c)(from, to, count); }
void narrow(const float* from, bfloat16_t* to, std::int64_t count) { (host_isa() == Isa::base ? narrow_base<bfloat16_t> : narrow_v3)(from, to, count); }

}  // namespace fastnp::eager
