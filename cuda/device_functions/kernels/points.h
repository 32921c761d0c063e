// Points along four axes, the last one the fastest, and the bytes that three arrays step by along each.
#pragma once

#include "threads.h"

namespace fastnp::kernels {

constexpr int axes = codegen::kernel_axes;

struct Points {
    std::int64_t sizes[axes], x[axes], index[axes], out[axes];
};

#define FASTNP_POINT_PARAMETERS                                                                                                             \
    std::int64_t n0, std::int64_t n1, std::int64_t n2, std::int64_t n3, std::int64_t x0, std::int64_t x1, std::int64_t x2, std::int64_t x3, \
        std::int64_t i0, std::int64_t i1, std::int64_t i2, std::int64_t i3, std::int64_t o0, std::int64_t o1, std::int64_t o2, std::int64_t o3
#define FASTNP_POINT_ARGUMENTS                                                   \
    Points {                                                                     \
        {n0, n1, n2, n3}, {x0, x1, x2, x3}, {i0, i1, i2, i3}, { o0, o1, o2, o3 } \
    }

// Divisions of 64 bits take about 100 instructions, so points are numbered in 32 bits where that is enough; and there is none for the first axis of
// several elements, and those before it.
template <class Unit, class Number, class Body>
[[gnu::always_inline]] inline void at_point(const Body& body, std::int64_t point, const Points& p) {
    auto rest = static_cast<Number>(point);
    std::int64_t x = 0, index = 0, out = 0;
    std::int64_t before = p.sizes[0] * p.sizes[1] * p.sizes[2];
#pragma unroll
    for (int i = axes; i-- > 0;) {
        const bool is_first = before == 1;
        const auto size = static_cast<Number>(p.sizes[i]);
        const Number above = is_first ? 0 : rest / size;
        const auto step = static_cast<std::int64_t>(rest - above * size);
        x += step * p.x[i];
        index += step * p.index[i];
        out += step * p.out[i];
        if (is_first) break;
        rest = above;
        before = i == 3 ? p.sizes[0] * p.sizes[1] : i == 2 ? p.sizes[0] : 1;
    }
    body.template run<Unit>(x, index, out);
}

/// body.run<Unit>(x, index, out), the bytes from the first elements on, for each point.
template <class Unit, class Body>
[[gnu::always_inline]] inline void for_each_point(const Body& body, std::int64_t count, const Points& points) {
    if (count <= INT32_MAX) for_each(count, [&](std::int64_t point) { at_point<Unit, std::uint32_t>(body, point, points); });
    else for_each(count, [&](std::int64_t point) { at_point<Unit, std::uint64_t>(body, point, points); });
}

using Unit16 = std::uint32_t __attribute__((ext_vector_type(4)));

/// What elements are moved in.
#define FASTNP_EACH_UNIT(f) f(1, std::uint8_t) f(2, std::uint16_t) f(4, std::uint32_t) f(8, std::uint64_t) f(16, Unit16)

}  // namespace fastnp::kernels
