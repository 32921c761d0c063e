// The ziggurats by which NumPy draws from the normal and the exponential distribution, for kernels and the host: their tables (make_ziggurat.py says what
// they are), and what one piece of a generator's stream (device/raw_stream.h) says.
#pragma once

#include <cstdint>

namespace fastnp::device::ziggurat {

#include "device/ziggurat.inc"

inline constexpr int layers = 256;

/// A layer, a place in it as a whole number, and a sign.
template <class Place>
struct Point {
    int layer;
    Place place;
    bool is_negative;
};

/// For numbers of 64 and of 32 bits: below which place a point lies under the curve for sure, widths of a place, and densities at the layers' edges.
struct Wide {
    using Place = std::uint64_t;
    using Real = double;
    const Place* k;
    const Real *w, *f;
};
struct Narrow {
    using Place = std::uint32_t;
    using Real = float;
    const Place* k;
    const Real *w, *f;
};

struct Normal {
    static constexpr double inverse_edge = 0.27366123732975827203338247596;
    static constexpr bool has_sign = true;
    static constexpr Wide wide{normal_k, normal_w, normal_f};
    static constexpr Narrow narrow{normal_k_float, normal_w_float, normal_f_float};
    static constexpr Point<std::uint64_t> point(std::uint64_t piece) {
        return {static_cast<int>(piece & 0xff), piece >> 9 & 0xfffffffffffff, (piece >> 8 & 1) != 0};
    }
    static constexpr Point<std::uint32_t> point(std::uint32_t piece) {
        return {static_cast<int>(piece & 0xff), piece >> 9 & 0x7fffff, (piece >> 8 & 1) != 0};
    }
};

struct Exponential {
    static constexpr bool has_sign = false;
    static constexpr Wide wide{exponential_k, exponential_w, exponential_f};
    static constexpr Narrow narrow{exponential_k_float, exponential_w_float, exponential_f_float};
    static constexpr Point<std::uint64_t> point(std::uint64_t piece) { return {static_cast<int>(piece >> 3 & 0xff), piece >> 11, false}; }
    static constexpr Point<std::uint32_t> point(std::uint32_t piece) { return {static_cast<int>(piece >> 1 & 0xff), piece >> 9, false}; }
};

template <class D, class Real>
constexpr const auto& table() {
    if constexpr (sizeof(Real) == 8) return D::wide;
    else return D::narrow;
}

/// Whether a result in the tail is negative, which NumPy takes from the place.
template <class D, class Place>
constexpr bool has_negative_tail(const Point<Place>& point) {
    return D::has_sign && (point.place >> 8 & 1) != 0;
}

/// From 0 up to 1.
constexpr double unit(std::uint64_t piece) { return static_cast<double>(piece >> 11) * 0x1p-53; }
constexpr float unit(std::uint32_t piece) { return static_cast<float>(piece >> 8) * 0x1p-24F; }

}  // namespace fastnp::device::ziggurat
