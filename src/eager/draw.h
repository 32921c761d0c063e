// Random numbers drawn by the host, one after the other, and what devices leave to it: as NumPy draws them, by the C library's functions that NumPy calls.
#pragma once

#include <cmath>
#include <cstdint>

#include "device/ziggurat.h"
#include "fastnp/detail/draws.h"

namespace fastnp::eager {

/// Draws `count` numbers into memory; the generator is as NumPy's after that.
void draw(detail::BitGenerator& generator, const detail::Draw& draw, void* out, std::int64_t count);

/// The ziggurats' curves, in NumPy's precision.
template <class Real>
struct Curves {
    static constexpr Real normal_edge = static_cast<Real>(3.6541528853610087963519472518L);
    static constexpr Real normal_inverse_edge = static_cast<Real>(device::ziggurat::Normal::inverse_edge);
    static constexpr Real exponential_edge = static_cast<Real>(7.6971174701310497140446280481L);

    /// Whether a point of that height lies under the density.
    static bool is_under(detail::Draw::Kind kind, Real y, Real x) {
        if (kind == detail::Draw::Kind::exponential) return y < std::exp(-x);
        return static_cast<double>(y) < std::exp(-0.5 * static_cast<double>(x) * static_cast<double>(x));
    }
    /// Whether a step in the normal distribution's tail is the last one, by its two numbers from 0 up to 1.
    static bool ends_tail(Real a, Real b) {
        const Real x = beyond_edge(a), y = -std::log1p(-b);
        return y + y > x * x;
    }
    /// The result, by the first of them.
    static Real in_tail(detail::Draw::Kind kind, Real a, bool is_negative) {
        if (kind == detail::Draw::Kind::exponential) return exponential_edge - std::log1p(-a);
        const Real x = beyond_edge(a);
        return is_negative ? -(normal_edge + x) : normal_edge + x;
    }

private:
    static Real beyond_edge(Real a) { return -normal_inverse_edge * std::log1p(-a); }
};

}  // namespace fastnp::eager
