#include "eager/span_quotients.h"

#include <bit>
#include <cmath>
#include <type_traits>

#include "eager/isa.h"
#include "eager/kernels.h"

namespace fastnp::eager {

namespace {

template <class T>
using Wide = std::conditional_t<sizeof(T) <= 2, float, double>;

// Numbers of 52 bits become doubles, and back, by an addition: the low bits of 1.5 * 2**52 plus a number are that number.
constexpr double shifting = 6755399441055744.0;
constexpr auto shifting_bits = std::bit_cast<std::int64_t>(shifting);
template <class T>
constexpr bool is_shifted = sizeof(T) == 8 || std::is_same_v<T, std::uint32_t>;

template <class T>
[[gnu::always_inline]] inline Wide<T> widened(T x) {
    if constexpr (is_shifted<T>) return std::bit_cast<double>(static_cast<std::int64_t>(x) + shifting_bits) - shifting;
    else return static_cast<Wide<T>>(x);
}
template <class T>
[[gnu::always_inline]] inline T narrowed(Wide<T> x) {
    if constexpr (is_shifted<T>) return static_cast<T>(std::bit_cast<std::int64_t>(x + shifting) - shifting_bits);
    else return static_cast<T>(static_cast<std::int32_t>(x));
}

// Between -2**51 (0) and 2**51 a quotient that is rounded to double has the exact one's floor: it is less than 1 / |y| away from it, where the next whole
// number is as much away at least, or equal to it. Numbers of 32 bits and less are so.
template <class T>
[[gnu::always_inline]] inline bool are_fit(const T* x, const T* y, std::int64_t count) {
    using Unsigned = std::make_unsigned_t<T>;
    Unsigned awkward = 0;
    std::uint64_t large = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const bool is_awkward = y[i] == 0 || (std::is_signed_v<T> && y[i] == static_cast<T>(-1));
        awkward = static_cast<Unsigned>(awkward | static_cast<Unsigned>(is_awkward));
        if constexpr (sizeof(T) == 8) {
            constexpr std::uint64_t below = std::is_signed_v<T> ? std::uint64_t{1} << 51 : 0;
            large |= ((static_cast<std::uint64_t>(x[i]) + below) | (static_cast<std::uint64_t>(y[i]) + below)) >> (std::is_signed_v<T> ? 52 : 51);
        }
    }
    return awkward == 0 && large == 0;
}

template <class T>
[[gnu::always_inline]] inline bool are_one(const T* y, std::int64_t count) {
    T differs = 0;
    for (std::int64_t i = 0; i < count; ++i) differs = static_cast<T>(differs | static_cast<T>(y[i] ^ y[0]));
    return differs == 0;
}

// By one divisor: a product by its reciprocal has the floor of the quotient, or that of a neighbour, as the rest tells.
template <class T, ops::Op op>
[[gnu::always_inline]] inline void by_reciprocal(const T* x, T divisor, T* to, std::int64_t count) {
    const Wide<T> b = widened(divisor), reciprocal = 1 / b;
    FASTNP_INDEPENDENT
    for (std::int64_t i = 0; i < count; ++i) {
        const Wide<T> a = widened(x[i]), near = std::floor(a * reciprocal), rest = a - near * b;
        const Wide<T> step = rest < 0 ? Wide<T>(-1) : rest >= b ? Wide<T>(1) : Wide<T>(0);
        to[i] = narrowed<T>(op == ops::Op::floor_divide ? near + step : rest - step * b);
    }
}

template <class T, ops::Op op>
[[gnu::always_inline]] inline bool quotients(const void* const* operands, void* out, std::int64_t count) {
    const auto* x = static_cast<const T*>(operands[0]);
    const auto* y = static_cast<const T*>(operands[1]);
    auto* to = static_cast<T*>(out);
    if (!are_fit(x, y, count)) return false;
    if constexpr (op != ops::Op::fmod) {
        if (y[0] > 0 && are_one(y, count)) {
            by_reciprocal<T, op>(x, y[0], to, count);
            return true;
        }
    }
    FASTNP_INDEPENDENT
    for (std::int64_t i = 0; i < count; ++i) {
        const Wide<T> a = widened(x[i]), b = widened(y[i]), exact = a / b;
        const Wide<T> whole = op == ops::Op::fmod ? std::trunc(exact) : std::floor(exact);
        to[i] = narrowed<T>(op == ops::Op::floor_divide ? whole : a - whole * b);
    }
    return true;
}

template <class T, ops::Op op>
FASTNP_V3 bool quotients_v3(const void* const* operands, void* out, std::int64_t count) {
    return quotients<T, op>(operands, out, count);
}
template <class T, ops::Op op>
FASTNP_V4 bool quotients_v4(const void* const* operands, void* out, std::int64_t count) {
    return quotients<T, op>(operands, out, count);
}

template <class T, ops::Op op>
TryKernel for_this_host() {
    return for_host<TryKernel>(nullptr, &quotients_v3<T, op>, &quotients_v4<T, op>);
}

template <class T>
TryKernel kernel_of(ops::Op op) {
    switch (op) {
        case ops::Op::floor_divide: return for_this_host<T, ops::Op::floor_divide>();
        case ops::Op::remainder: return for_this_host<T, ops::Op::remainder>();
        case ops::Op::fmod: return for_this_host<T, ops::Op::fmod>();
        default: return nullptr;
    }
}

}  // namespace

TryKernel quotient_kernel(ops::Op op, Dtype dtype) {
    return with_element(dtype, [op]<class T>() -> TryKernel {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) return kernel_of<T>(op);
        return nullptr;
    });
}

}  // namespace fastnp::eager
