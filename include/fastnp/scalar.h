// A plain number of C++ or Python as an operand: weakly typed (NEP 50), so it takes the array's dtype.
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>

#include "fastnp/dtype.h"

namespace fastnp {

/// \addtogroup dtypes
/// @{

/// A bool, integer, floating or complex number without a fixed dtype. Integers hold -2**63 ... 2**64 - 1.
class Scalar {
public:
    /// The integer 0.
    constexpr Scalar() = default;
    /// A truth value.
    template <std::same_as<bool> T>
    constexpr Scalar(T value) : kind_(WeakKind::boolean), bits_(value ? 1 : 0) {}  // NOLINT: implicit by design
    /// An integer.
    template <std::integral T>
        requires(!std::same_as<T, bool>)
    constexpr Scalar(T value)  // NOLINT
        : kind_(WeakKind::integer), negative_(value < 0), bits_(static_cast<std::uint64_t>(value)) {}
    /// A floating number.
    template <std::floating_point T>
    constexpr Scalar(T value) : kind_(WeakKind::floating), real_(static_cast<double>(value)) {}  // NOLINT
    /// A complex number.
    template <class T>
    constexpr Scalar(std::complex<T> value)  // NOLINT
        : kind_(WeakKind::complex), real_(value.real()), imag_(value.imag()) {}

    /// Which of the four it is.
    constexpr WeakKind kind() const { return kind_; }
    /// For an integer or a bool: its two's complement bits.
    constexpr std::uint64_t bits() const { return bits_; }
    /// For an integer: whether it is below zero.
    constexpr bool negative() const { return negative_; }
    /// For an integer: its bits as those of a signed number.
    constexpr std::int64_t as_int64() const { return static_cast<std::int64_t>(bits_); }
    /// The value as a real number, whatever its kind; of a complex one its real part.
    constexpr double real() const {
        if (kind_ == WeakKind::floating || kind_ == WeakKind::complex) return real_;
        return negative_ ? static_cast<double>(as_int64()) : static_cast<double>(bits_);
    }
    /// The imaginary part; 0 of real numbers.
    constexpr double imag() const { return imag_; }

    /// Equal kind and bits (NaN equals NaN, -0 differs from 0): what a guard or a cache key compares.
    FASTNP_API friend bool operator==(const Scalar& a, const Scalar& b);

private:
    WeakKind kind_ = WeakKind::integer;
    bool negative_ = false;
    std::uint64_t bits_ = 0;
    double real_ = 0;
    double imag_ = 0;
};

/// @}

}  // namespace fastnp
