// Casts of runs of elements between all dtypes.
#include <algorithm>
#include <cstring>

#include "eager/convert.h"
#include "eager/eager.h"
#include "eager/half.h"
#include "eager/isa.h"

namespace fastnp::eager {

namespace {

using detail::convert;

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
            for (std::int64_t i = 0; i < n; ++i) to[at + i] = convert<float, To>(wide[i]);
        }
    } else if constexpr (std::is_same_v<From, float> && ops::is_half<To>) {
        narrow(from, to, count);
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
