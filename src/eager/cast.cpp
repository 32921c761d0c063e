// Casts of runs of elements between all dtypes.
#include <algorithm>
#include <cstring>

#include "eager/convert.h"
#include "eager/eager.h"
#include "eager/half.h"
#include "eager/isa.h"
#include "fastnp/detail/float_flags.h"

namespace fastnp::eager {

namespace {

using detail::convert;

// The processor's conversion says what does not fit; a loop of vectors may use another one, which doesn't.
template <class To, class From>
[[gnu::always_inline]] inline void note_unfit(const From* from, std::int64_t count) {
    using Word = std::conditional_t<sizeof(From) == 8, std::int64_t, std::int32_t>;
    Word unfit = 0;
    for (std::int64_t i = 0; i < count; ++i) unfit |= static_cast<Word>(!detail::fits_integer<To>(from[i]));
    if (unfit != 0) fastnp::detail::raise_float_flags(fastnp::detail::float_invalid);
}

template <class From, class To>
[[gnu::always_inline]] inline void convert_all(const From* from, To* to, std::int64_t count) {
    constexpr std::int64_t chunk = 2048;  // is read twice from the nearest cache
    for (std::int64_t at = 0; at < count; at += chunk) {
        const std::int64_t end = std::min(at + chunk, count);
        if constexpr (std::is_floating_point_v<From> && ops::Integer<To>) note_unfit<To>(from + at, end - at);
        FASTNP_INDEPENDENT
        for (std::int64_t i = at; i < end; ++i) to[i] = convert<From, To>(from[i]);
    }
}

template <class From, class To>
[[gnu::always_inline]] inline void cast_span(const void* const* operands, void* out, std::int64_t count) {
    const From* from = static_cast<const From*>(operands[0]);
    To* to = static_cast<To*>(out);
    if constexpr (std::is_same_v<From, To>) {
        std::memmove(to, from, static_cast<std::size_t>(count) * sizeof(To));
    } else if constexpr (std::is_same_v<From, bool>) {  // read as bytes, so that the loop vectorises
        const auto* bytes = static_cast<const unsigned char*>(operands[0]);
        const To one = convert<float, To>(1);
        for (std::int64_t i = 0; i < count; ++i) to[i] = bytes[i] != 0 ? one : To{};
    } else if constexpr (ops::is_half<From> && !ops::is_half<To>) {
        constexpr std::int64_t chunk = 256;
        alignas(64) float wide[chunk];
        for (std::int64_t at = 0; at < count; at += chunk) {
            const std::int64_t n = std::min(chunk, count - at);
            widen(from + at, wide, n);
            convert_all(wide, to + at, n);
        }
    } else if constexpr (std::is_same_v<From, float> && ops::is_half<To>) {
        narrow(from, to, count);
    } else if constexpr (ops::is_half<To> && !ops::is_half<From>) {
        constexpr std::int64_t chunk = 256;
        alignas(64) float wide[chunk];
        for (std::int64_t at = 0; at < count; at += chunk) {
            const std::int64_t n = std::min(chunk, count - at);
            for (std::int64_t i = 0; i < n; ++i) wide[i] = detail::to_wide_float(from[at + i]);
            narrow(wide, to + at, n);
        }
    } else if constexpr (std::is_floating_point_v<From> && ops::Integer<To>) {
        convert_all(from, to, count);
    } else {
        FASTNP_INDEPENDENT
        for (std::int64_t i = 0; i < count; ++i) to[i] = convert<From, To>(from[i]);
    }
}

template <class From, class To>
void cast_base(const void* const* operands, void* out, std::int64_t count) {
    cast_span<From, To>(operands, out, count);
}
template <class From, class To>
FASTNP_V3 void cast_v3(const void* const* operands, void* out, std::int64_t count) {
    cast_span<From, To>(operands, out, count);
}
template <class From, class To>
FASTNP_V4 void cast_v4(const void* const* operands, void* out, std::int64_t count) {
    cast_span<From, To>(operands, out, count);
}

template <class From>
SpanKernel cast_from(Dtype to) {
    switch (to) {
#define DTYPE(name, type, kind, code, text) \
    case Dtype::name: return for_host<SpanKernel>(&cast_base<From, type>, &cast_v3<From, type>, &cast_v4<From, type>);
#include "fastnp/ops/dtype.def"
    }
    return nullptr;
}

}  // namespace

SpanKernel cast_kernel(Dtype from, Dtype to) {
    switch (from) {
#define DTYPE(name, type, kind, code, text) \
    case Dtype::name: return cast_from<type>(to);
#include "fastnp/ops/dtype.def"
    }
    return nullptr;
}

}  // namespace fastnp::eager
