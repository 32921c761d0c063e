// NumPy's order of elements, for sorts and their like: on the host and in kernels for devices.
#pragma once

#include "ops/number.h"

namespace fastnp::eager {

template <class T>
bool is_nan(const T& x) {
    return ops::isnan(ops::load(x)).v;
}

/// Numbers ascending, NaN last; complex numbers by real, then imaginary part, those with a NaN last.
template <class T>
bool sorts_before(const T& a, const T& b) {
    if constexpr (ops::Complex<T>) {
        if (a.real() < b.real()) return a.imag() == a.imag() || b.imag() != b.imag();
        if (a.real() > b.real()) return b.imag() != b.imag() && a.imag() == a.imag();
        if (a.real() == b.real() || (a.real() != a.real() && b.real() != b.real())) {
            return a.imag() < b.imag() || (b.imag() != b.imag() && a.imag() == a.imag());
        }
        return b.real() != b.real();
    } else {
        const auto x = ops::load(a).v;
        const auto y = ops::load(b).v;
        return x < y || (y != y && x == x);
    }
}

}  // namespace fastnp::eager
