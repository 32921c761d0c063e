// Conversions between all dtypes, as NumPy's on x86: floats out of an integer's range give what the processor's conversion gives, not undefined behaviour.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "eager/eager.h"
#include "eager/half.h"
#include "eager/isa.h"
#include "ops/number.h"

namespace fastnp::eager {

namespace {

// cvttsd2si: the least integer stands for everything that does not fit, NaN too.
template <class I>
I to_signed(double value) {
    const auto low = static_cast<double>(std::numeric_limits<I>::min());
    if (!(value >= low && value < -low)) return std::numeric_limits<I>::min();
    return static_cast<I>(value);
}

template <class To>
To to_integer(double value) {
    if constexpr (std::is_same_v<To, std::uint64_t>) {
        if (value >= 9223372036854775808.0)
            return static_cast<std::uint64_t>(to_signed<std::int64_t>(value - 9223372036854775808.0)) ^ (std::uint64_t{1} << 63);
        return static_cast<std::uint64_t>(to_signed<std::int64_t>(value));
    } else if constexpr (std::is_same_v<To, std::int64_t>) {
        return to_signed<std::int64_t>(value);
    } else if constexpr (std::is_same_v<To, std::uint32_t>) {
        return static_cast<std::uint32_t>(to_signed<std::int64_t>(value));
    } else {
        return static_cast<To>(to_signed<std::int32_t>(value));
    }
}

template <class From, class To>
To convert(const From& from) {
    if constexpr (std::is_same_v<From, To>) {
        return from;
    } else if constexpr (ops::Complex<From>) {
        if constexpr (ops::Complex<To>) return To(static_cast<typename To::value_type>(from.real()), static_cast<typename To::value_type>(from.imag()));
        else if constexpr (ops::Boolean<To>) return from.real() != 0 || from.imag() != 0;
        else return convert<typename From::value_type, To>(from.real());
    } else if constexpr (ops::Complex<To>) {
        return To(convert<From, typename To::value_type>(from), 0);
    } else if constexpr (ops::Boolean<To>) {
        return static_cast<ops::Work<From>>(from) != 0;
    } else if constexpr (ops::is_half<From>) {
        if constexpr (ops::Integer<To>) return to_integer<To>(static_cast<double>(static_cast<float>(from)));
        else return static_cast<To>(static_cast<float>(from));
    } else if constexpr (ops::is_half<To>) {
        if constexpr (std::is_same_v<From, double>) {
            // Rounding twice could differ: the float in between is made odd where it is not exact.
            auto narrow = static_cast<float>(from);
            if (static_cast<double>(narrow) != from && narrow == narrow && std::isfinite(narrow)) {
                auto bits = std::bit_cast<std::uint32_t>(narrow);
                if ((bits & 1U) == 0) {
                    const bool up = std::abs(static_cast<double>(narrow)) < std::abs(from);
                    bits = up ? bits + 1 : (bits & 0x7fffffffU) == 0 ? bits : bits - 1;
                }
                narrow = std::bit_cast<float>(bits);
            }
            return To(narrow);
        } else if constexpr (ops::Integer<From> && sizeof(From) > 2) {
            return convert<double, To>(static_cast<double>(from));
        } else {
            return To(static_cast<float>(from));
        }
    } else if constexpr (ops::Integer<To> && std::is_floating_point_v<From>) {
        return to_integer<To>(static_cast<double>(from));
    } else {
        return static_cast<To>(from);
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
