// Random numbers drawn by the host, one after the other, and what devices leave to it: as NumPy draws them, by the C library's functions that NumPy calls.
#pragma once

#include <cmath>
#include <cstdint>

#include "device/ziggurat.h"
#include "fastnp/detail/draws.h"

namespace fastnp::eager {

/// Draws `count` numbers into memory; the generator is as NumPy's after that.
void draw(fastnp::detail::BitGenerator& generator, const fastnp::detail::Draw& draw, void* out, std::int64_t count);

/// The ziggurats' curves, in NumPy's precision.
template <class Real>
struct Curves {
    static constexpr Real normal_edge = static_cast<Real>(3.6541528853610087963519472518L);
    static constexpr Real normal_inverse_edge = static_cast<Real>(device::ziggurat::Normal::inverse_edge);
    static constexpr Real exponential_edge = static_cast<Real>(7.6971174701310497140446280481L);

    /// Whether a point of that height lies under the density.
    static bool is_under(fastnp::detail::Draw::Kind kind, Real y, Real x) {
        if (kind == fastnp::detail::Draw::Kind::exponential) return y < std::exp(-x);
        return static_cast<double>(y) < std::exp(-0.5 * static_cast<double>(x) * static_cast<double>(x));
    }
    /// Whether a step in the normal distribution's tail is the last one, by its two numbers from 0 up to 1.
    static bool ends_tail(Real a, Real b) {
        const Real x = beyond_edge(a), y = -std::log1p(-b);
        return y + y > x * x;
    }
    /// The result, by the first of them.
    static Real in_tail(fastnp::detail::Draw::Kind kind, Real a, bool is_negative) {
        if (kind == fastnp::detail::Draw::Kind::exponential) return exponential_edge - std::log1p(-a);
        const Real x = beyond_edge(a);
        return is_negative ? -(normal_edge + x) : normal_edge + x;
    }

private:
    static Real beyond_edge(Real a) { return -normal_inverse_edge * std::log1p(-a); }
};

/// A number of a distribution by the ziggurat method. `pieces`: words by `next`, numbers from 0 up to 1 by `unit`.
template <class D, class Real, class P>
Real attempt(fastnp::detail::Draw::Kind kind, P& pieces) {
    using C = Curves<Real>;
    const auto& table = device::ziggurat::table<D, Real>();
    while (true) {
        const auto point = D::point(pieces.next());
        const Real size = static_cast<Real>(point.place) * table.w[point.layer], x = point.is_negative ? -size : size;
        if (point.place < table.k[point.layer]) return x;
        const Real a = pieces.unit();
        if (point.layer != 0) {
            const Real low = table.f[point.layer], high = table.f[point.layer - 1];
            if (C::is_under(kind, (high - low) * a + low, x)) return x;
            continue;
        }
        const bool is_negative = device::ziggurat::has_negative_tail<D>(point);
        if constexpr (D::has_sign) {
            for (Real first = a;; first = pieces.unit()) {
                if (C::ends_tail(first, pieces.unit())) return C::in_tail(kind, first, is_negative);
            }
        }
        return C::in_tail(kind, a, is_negative);
    }
}

}  // namespace fastnp::eager
