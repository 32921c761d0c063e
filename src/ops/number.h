// Number<T>: an element as a scalar with NumPy's arithmetic, so that a catalogue row's meaning compiled over it is the eager kernel. Signed integers
// wrap, bools add as or and multiply as and, the 16-bit floats compute in float and are rounded once when stored.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <type_traits>

#include "fastnp/dtype.h"

namespace fastnp::ops {

template <class T>
inline constexpr bool is_half = std::is_same_v<T, float16_t> || std::is_same_v<T, bfloat16_t>;
template <class T>
inline constexpr bool is_complex_type = false;
template <class T>
inline constexpr bool is_complex_type<std::complex<T>> = true;

/// What an element is computed in.
template <class T>
using Work = std::conditional_t<is_half<T>, float, T>;

template <class T>
struct Number {
    Work<T> v;
};

template <class T>
Number<T> load(const T& element) {
    return {static_cast<Work<T>>(element)};
}
template <class T>
T store(Number<T> x) {
    return static_cast<T>(x.v);
}

template <class T>
concept Boolean = std::is_same_v<T, bool>;
template <class T>
concept Integer = std::is_integral_v<T> && !Boolean<T>;
template <class T>
concept Signed = Integer<T> && std::is_signed_v<T>;
template <class T>
concept Unsigned = Integer<T> && std::is_unsigned_v<T>;
template <class T>
concept Complex = is_complex_type<T>;
template <class T>
concept Real = is_half<T> || std::is_floating_point_v<T>;

namespace detail {
/// A value that is rounded as written: GCC 12 contracts the products of a vectorised complex multiplication in spite of -ffp-contract=off.
template <class R>
R kept_apart(R value) {
#if defined(__has_builtin)
#if __has_builtin(__builtin_assoc_barrier)
    return __builtin_assoc_barrier(value);
#else
    return value;
#endif
#else
    return value;
#endif
}
// Wide enough that no arithmetic on it is undefined.
template <Integer T>
using Wrap = std::conditional_t<sizeof(T) < 4, std::uint32_t, std::make_unsigned_t<T>>;
template <Integer T>
T wrap(auto value) {
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(value));
}
template <Complex T>
bool lexically_less(const T& x, const T& y) {
    return x.real() < y.real() || (x.real() == y.real() && x.imag() < y.imag());
}
template <Complex T>
bool has_nan(const T& x) {
    return std::isnan(x.real()) || std::isnan(x.imag());
}
}  // namespace detail

// --- arithmetic ----------------------------------------------------------------------------------------------------------------------

template <class T>
Number<T> operator+(Number<T> x, Number<T> y) {
    if constexpr (Boolean<T>) return {(x.v | y.v) != 0};
    else if constexpr (Integer<T>) return {detail::wrap<T>(static_cast<detail::Wrap<T>>(x.v) + static_cast<detail::Wrap<T>>(y.v))};
    else return {x.v + y.v};
}
template <class T>
Number<T> operator-(Number<T> x, Number<T> y) {
    if constexpr (Integer<T>) return {detail::wrap<T>(static_cast<detail::Wrap<T>>(x.v) - static_cast<detail::Wrap<T>>(y.v))};
    else return {x.v - y.v};
}
template <class T>
Number<T> operator-(Number<T> x) {
    if constexpr (Integer<T>) return {detail::wrap<T>(detail::Wrap<T>{0} - static_cast<detail::Wrap<T>>(x.v))};
    else return {-x.v};
}
template <class T>
Number<T> operator*(Number<T> x, Number<T> y) {
    if constexpr (Boolean<T>) {
        return {(x.v & y.v) != 0};
    } else if constexpr (Integer<T>) {
        return {detail::wrap<T>(static_cast<detail::Wrap<T>>(x.v) * static_cast<detail::Wrap<T>>(y.v))};
    } else if constexpr (Complex<T>) {
        const auto product = [](auto a, auto b) { return detail::kept_apart(a * b); };
        return {T(product(x.v.real(), y.v.real()) - product(x.v.imag(), y.v.imag()), product(x.v.real(), y.v.imag()) + product(x.v.imag(), y.v.real()))};
    } else {
        return {x.v * y.v};
    }
}
template <Real T>
Number<T> operator/(Number<T> x, Number<T> y) {
    return {x.v / y.v};
}
/// Smith's method, as NumPy.
template <Complex T>
Number<T> operator/(Number<T> x, Number<T> y) {
    using R = typename T::value_type;
    const auto product = [](R a, R b) { return detail::kept_apart(a * b); };
    const R re = std::abs(y.v.real());
    const R im = std::abs(y.v.imag());
    // Operands are chosen before they are divided: what is not to be done raises no flag, and takes no time.
    const bool by_zero = re == 0 && im == 0;
    const bool by_real = re >= im;
    const R large = detail::kept_apart(by_real ? y.v.real() : y.v.imag());
    const R small = detail::kept_apart(by_real ? y.v.imag() : y.v.real());
    const R ratio = small / (by_zero ? R(1) : large);
    const R scale = R(1) / (by_zero ? re : large + product(small, ratio));
    const R real_ratio = product(x.v.real(), ratio);
    const R imag_ratio = product(x.v.imag(), ratio);
    const R real = by_real ? x.v.real() + imag_ratio : real_ratio + x.v.imag();
    const R imag = by_real ? x.v.imag() - real_ratio : imag_ratio - x.v.real();
    return {T((by_zero ? x.v.real() : real) * scale, (by_zero ? x.v.imag() : imag) * scale)};
}

template <class T>
Number<T> operator~(Number<T> x) {
    if constexpr (Boolean<T>) return {!x.v};
    else return {static_cast<T>(~x.v)};
}
template <class T>
Number<T> operator&(Number<T> x, Number<T> y) {
    return {static_cast<T>(x.v & y.v)};
}
template <class T>
Number<T> operator|(Number<T> x, Number<T> y) {
    return {static_cast<T>(x.v | y.v)};
}
template <class T>
Number<T> operator^(Number<T> x, Number<T> y) {
    return {static_cast<T>(x.v ^ y.v)};
}

// --- comparison ----------------------------------------------------------------------------------------------------------------------

template <class T>
Number<bool> operator==(Number<T> x, Number<T> y) {
    return {x.v == y.v};
}
template <class T>
Number<bool> operator!=(Number<T> x, Number<T> y) {
    return {!(x.v == y.v)};
}
template <class T>
Number<bool> operator<(Number<T> x, Number<T> y) {
    if constexpr (Complex<T>) {  // as NumPy, a NaN in an imaginary part leaves no order, yet equal real parts are told apart by the imaginary ones
        const bool before = x.v.real() < y.v.real() && !std::isnan(x.v.imag()) && !std::isnan(y.v.imag());
        return {before || (x.v.real() == y.v.real() && x.v.imag() < y.v.imag())};
    } else {
        return {x.v < y.v};
    }
}
template <class T>
Number<bool> operator<=(Number<T> x, Number<T> y) {
    if constexpr (Complex<T>) {
        const bool before = x.v.real() < y.v.real() && !std::isnan(x.v.imag()) && !std::isnan(y.v.imag());
        return {before || (x.v.real() == y.v.real() && x.v.imag() <= y.v.imag())};
    } else {
        return {x.v <= y.v};
    }
}
template <class T>
Number<bool> operator>(Number<T> x, Number<T> y) {
    return y < x;
}
template <class T>
Number<bool> operator>=(Number<T> x, Number<T> y) {
    return y <= x;
}

template <class T>
bool truth(Number<T> x) {
    if constexpr (Complex<T>) return x.v.real() != 0 || x.v.imag() != 0;
    else return x.v != 0;
}
template <class T>
Number<bool> logical_not(Number<T> x) {
    return {!truth(x)};
}
template <class T>
Number<bool> logical_and(Number<T> x, Number<T> y) {
    return {(truth(x) & truth(y)) != 0};
}
template <class T>
Number<bool> logical_or(Number<T> x, Number<T> y) {
    return {(truth(x) | truth(y)) != 0};
}
template <class T>
Number<bool> logical_xor(Number<T> x, Number<T> y) {
    return {truth(x) != truth(y)};
}

template <class T>
Number<bool> isnan(Number<T> x) {
    if constexpr (Complex<T>) return {detail::has_nan(x.v)};
    else if constexpr (Real<T>) return {x.v != x.v};
    else return {false};
}
template <class T>
Number<bool> isinf(Number<T> x) {
    if constexpr (Complex<T>) return {std::isinf(x.v.real()) || std::isinf(x.v.imag())};
    else if constexpr (Real<T>) return {std::abs(x.v) == std::numeric_limits<Work<T>>::infinity()};
    else return {false};
}
template <class T>
Number<bool> isfinite(Number<T> x) {
    if constexpr (Complex<T>) return {std::isfinite(x.v.real()) && std::isfinite(x.v.imag())};
    else if constexpr (Real<T>) return {std::abs(x.v) < std::numeric_limits<Work<T>>::infinity()};
    else return {true};
}
template <Real T>
Number<bool> signbit(Number<T> x) {
    // By the bits: GCC 12 fails to vectorise std::signbit.
    using Bits = std::conditional_t<sizeof(Work<T>) == 4, std::int32_t, std::int64_t>;
    return {std::bit_cast<Bits>(x.v) < 0};
}

// --- parts and signs -----------------------------------------------------------------------------------------------------------------

template <class T>
auto absolute(Number<T> x) {
    if constexpr (Complex<T>) return Number<typename T::value_type>{std::hypot(x.v.real(), x.v.imag())};
    else if constexpr (Signed<T>) return x.v < 0 ? -x : x;
    else if constexpr (Real<T>) return Number<T>{std::abs(x.v)};
    else return x;
}
template <class T>
auto real(Number<T> x) {
    if constexpr (Complex<T>) return Number<typename T::value_type>{x.v.real()};
    else return x;
}
template <class T>
auto imag(Number<T> x) {
    if constexpr (Complex<T>) return Number<typename T::value_type>{x.v.imag()};
    else return Number<T>{Work<T>{}};
}
template <Real T>
Number<std::complex<T>> from_parts(Number<T> x, Number<T> y) {
    return {{x.v, y.v}};
}
template <class T>
Number<T> conjugate(Number<T> x) {
    if constexpr (Complex<T>) return {std::conj(x.v)};
    else return x;
}
template <class T>
Number<T> sign(Number<T> x) {
    if constexpr (Complex<T>) {  // x / |x|
        const auto size = std::hypot(x.v.real(), x.v.imag());
        if (std::isnan(size))
            return {T(std::numeric_limits<typename T::value_type>::quiet_NaN(), std::numeric_limits<typename T::value_type>::quiet_NaN())};
        if (std::isinf(size)) {
            const bool re = std::isinf(x.v.real());
            const bool im = std::isinf(x.v.imag());
            if (re && im) return {T(std::numeric_limits<typename T::value_type>::quiet_NaN(), std::numeric_limits<typename T::value_type>::quiet_NaN())};
            return {re ? T(x.v.real() > 0 ? 1 : -1, 0) : T(0, x.v.imag() > 0 ? 1 : -1)};
        }
        if (size == 0) return {T(0, 0)};
        return {T(x.v.real() / size, x.v.imag() / size)};
    } else if constexpr (Real<T>) {
        return x.v != x.v ? x : Number<T>{static_cast<Work<T>>((x.v > 0) - (x.v < 0))};
    } else if constexpr (Signed<T>) {
        return {static_cast<T>((x.v > 0) - (x.v < 0))};
    } else {
        return {static_cast<T>(x.v > 0)};
    }
}
template <Real T>
Number<T> copysign(Number<T> x, Number<T> y) {
    return {std::copysign(x.v, y.v)};
}

template <class T>
Number<T> rint(Number<T> x) {
    if constexpr (Complex<T>) return {T(std::rint(x.v.real()), std::rint(x.v.imag()))};
    else return {std::rint(x.v)};
}
template <class T>
Number<T> floor(Number<T> x) {
    if constexpr (Real<T>) return {std::floor(x.v)};
    else return x;
}
template <class T>
Number<T> ceil(Number<T> x) {
    if constexpr (Real<T>) return {std::ceil(x.v)};
    else return x;
}
template <class T>
Number<T> trunc(Number<T> x) {
    if constexpr (Real<T>) return {std::trunc(x.v)};
    else return x;
}
template <class T>
Number<T> square(Number<T> x) {
    return x * x;
}
template <class T>
Number<T> reciprocal(Number<T> x) {
    if constexpr (Complex<T>) {
        using R = typename T::value_type;
        // Smith's method without the zero imaginary part of 1; operands are chosen first, as above.
        const bool by_real = std::abs(x.v.imag()) <= std::abs(x.v.real());
        const R large = detail::kept_apart(by_real ? x.v.real() : x.v.imag());
        const R small = detail::kept_apart(by_real ? x.v.imag() : x.v.real());
        const R ratio = small / large;
        const R size = large + small * ratio;
        const bool was_real = large == x.v.real();  // by_real, in words by which GCC does not take both ways to here
        return {T((was_real ? R(1) : ratio) / size, (was_real ? -ratio : R(-1)) / size)};
    } else if constexpr (Integer<T>) {
        // NumPy divides in floating point; 1 / 0 gives the type's least value (0 for small and unsigned types).
        if (x.v == 0) return {Signed<T> && sizeof(T) >= 4 ? std::numeric_limits<T>::min() : static_cast<T>(0)};
        return {static_cast<T>(T(1) / x.v)};
    } else {
        return {Work<T>(1) / x.v};
    }
}
template <Real T>
Number<T> degrees(Number<T> x) {
    return {x.v * static_cast<Work<T>>(180.0 / std::numbers::pi)};
}
template <Real T>
Number<T> radians(Number<T> x) {
    return {x.v * static_cast<Work<T>>(std::numbers::pi / 180.0)};
}

// --- extremes: maximum and minimum give NaN where either operand is one, fmax and fmin the other operand -----------------------------
// Of equal ones, zeros of different sign, they give the second, as NumPy's vectors; of halves, which it has no vectors of, the first.

template <class T>
Number<T> maximum(Number<T> x, Number<T> y) {
    if constexpr (Complex<T>) return detail::has_nan(x.v) || (!detail::has_nan(y.v) && !detail::lexically_less(x.v, y.v)) ? x : y;
    else if constexpr (Boolean<T>) return x + y;
    else if constexpr (std::is_same_v<T, float16_t>) return x.v >= y.v || x.v != x.v ? x : y;
    else return x.v > y.v || x.v != x.v ? x : y;
}
template <class T>
Number<T> minimum(Number<T> x, Number<T> y) {
    if constexpr (Complex<T>) return detail::has_nan(x.v) || (!detail::has_nan(y.v) && !detail::lexically_less(y.v, x.v)) ? x : y;
    else if constexpr (Boolean<T>) return x * y;
    else if constexpr (std::is_same_v<T, float16_t>) return x.v <= y.v || x.v != x.v ? x : y;
    else return x.v < y.v || x.v != x.v ? x : y;
}
template <class T>
Number<T> fmax(Number<T> x, Number<T> y) {
    if constexpr (Complex<T>) return detail::has_nan(y.v) || (!detail::has_nan(x.v) && !detail::lexically_less(x.v, y.v)) ? x : y;
    else if constexpr (Boolean<T>) return x + y;
    else return x.v >= y.v || y.v != y.v ? x : y;
}
template <class T>
Number<T> fmin(Number<T> x, Number<T> y) {
    if constexpr (Complex<T>) return detail::has_nan(y.v) || (!detail::has_nan(x.v) && !detail::lexically_less(y.v, x.v)) ? x : y;
    else if constexpr (Boolean<T>) return x * y;
    else return x.v <= y.v || y.v != y.v ? x : y;
}

// --- functions of the C library; real float and double run through vector math instead (src/eager/vector_math.h) ----------------------

#define FASTNP_STANDARD1(name, call) \
    template <class T>               \
    Number<T> name(Number<T> x) {    \
        return {std::call(x.v)};     \
    }
FASTNP_STANDARD1(sqrt, sqrt)
FASTNP_STANDARD1(cbrt, cbrt)
FASTNP_STANDARD1(exp, exp)
FASTNP_STANDARD1(log, log)
FASTNP_STANDARD1(log10, log10)
FASTNP_STANDARD1(sin, sin)
FASTNP_STANDARD1(cos, cos)
FASTNP_STANDARD1(tan, tan)
FASTNP_STANDARD1(arcsin, asin)
FASTNP_STANDARD1(arccos, acos)
FASTNP_STANDARD1(arctan, atan)
FASTNP_STANDARD1(sinh, sinh)
FASTNP_STANDARD1(cosh, cosh)
FASTNP_STANDARD1(tanh, tanh)
FASTNP_STANDARD1(arcsinh, asinh)
FASTNP_STANDARD1(arccosh, acosh)
FASTNP_STANDARD1(arctanh, atanh)
#undef FASTNP_STANDARD1

template <class T>
Number<T> exp2(Number<T> x) {
    if constexpr (Complex<T>) return {std::exp(x.v * std::numbers::ln2_v<typename T::value_type>)};
    else return {std::exp2(x.v)};
}
template <class T>
Number<T> log2(Number<T> x) {
    if constexpr (Complex<T>) return {std::log(x.v) * std::numbers::log2e_v<typename T::value_type>};
    else return {std::log2(x.v)};
}
template <class T>
Number<T> expm1(Number<T> x) {
    if constexpr (Complex<T>) {
        using R = typename T::value_type;
        const R half = std::sin(x.v.imag() / 2);
        const R grown = std::exp(x.v.real());
        return {T(std::expm1(x.v.real()) * std::cos(x.v.imag()) - 2 * half * half, grown * std::sin(x.v.imag()))};
    } else {
        return {std::expm1(x.v)};
    }
}
template <class T>
Number<T> log1p(Number<T> x) {
    if constexpr (Complex<T>) {
        const auto size = std::hypot(x.v.real() + 1, x.v.imag());
        return {T(std::log(size), std::atan2(x.v.imag(), x.v.real() + 1))};
    } else {
        return {std::log1p(x.v)};
    }
}
template <Real T>
Number<T> arctan2(Number<T> x, Number<T> y) {
    return {std::atan2(x.v, y.v)};
}
template <Real T>
Number<T> hypot(Number<T> x, Number<T> y) {
    return {std::hypot(x.v, y.v)};
}

}  // namespace fastnp::ops

#include "ops/number_division.h"
#include "ops/number_floating.h"
