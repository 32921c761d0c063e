// Elements taken by index, and indices looked at. Elements are moved as they are, in units of 1 to 16 bytes, whatever their dtype.
#include "kernels/threads.h"

using namespace fastnp::kernels;

namespace {

constexpr int axes = fastnp::codegen::kernel_axes;

using Unit16 = std::uint32_t __attribute__((ext_vector_type(4)));

// The place along an axis that an index means, always one that is there: indices out of bounds are found by check_indices.
[[gnu::always_inline]] inline std::int64_t place_of(std::int64_t index, std::int64_t extent, std::int64_t mode) {
    enum { raise = 0, wrap = 1, clip = 2 };
    if (mode == wrap) index %= extent;
    if (mode != clip && index < 0) index += extent;
    return index < 0 ? 0 : index >= extent ? extent - 1 : index;
}

struct Operands {
    const char* x;
    const char* indices;
    char* out;
    std::int64_t axis_stride, extent, mode;
    std::int64_t sizes[axes], x_strides[axes], index_strides[axes], out_strides[axes];
};

// Divisions of 64 bits take about 100 instructions, so points are numbered in 32 bits where that is enough.
template <class Unit, class Number>
[[gnu::always_inline]] inline void take(const Operands& o, std::int64_t point) {
    auto rest = static_cast<Number>(point);
    std::int64_t from = 0, index = 0, to = 0;
    for (int i = axes; i-- > 0;) {
        const auto size = static_cast<Number>(o.sizes[i]);
        const Number above = i == 0 ? 0 : rest / size;
        const auto step = static_cast<std::int64_t>(rest - above * size);
        from += step * o.x_strides[i];
        index += step * o.index_strides[i];
        to += step * o.out_strides[i];
        rest = above;
    }
    const std::int64_t place = place_of(*reinterpret_cast<const std::int64_t*>(at(o.indices, index)), o.extent, o.mode);
    *reinterpret_cast<Unit*>(at(o.out, to)) = *reinterpret_cast<const Unit*>(at(o.x, from + place * o.axis_stride));
}

template <class Unit>
[[gnu::always_inline]] inline void gather(const Operands& o, std::int64_t points) {
    if (points <= INT32_MAX) for_each(points, [&](std::int64_t point) { take<Unit, std::uint32_t>(o, point); });
    else for_each(points, [&](std::int64_t point) { take<Unit, std::uint64_t>(o, point); });
}

}  // namespace

// out[p] = x[p with the place along one axis that indices[p] says], over `points` points of four axes, the last one the fastest.
#define FASTNP_GATHER(bytes, unit)                                                                                                                  \
    extern "C" void fastnp_kernel_gather_##bytes(                                                                                                   \
        const char* x, const char* indices, char* out, std::int64_t axis_stride, std::int64_t extent, std::int64_t mode, std::int64_t points,       \
        std::int64_t n0, std::int64_t n1, std::int64_t n2, std::int64_t n3, std::int64_t x0, std::int64_t x1, std::int64_t x2, std::int64_t x3,     \
        std::int64_t i0, std::int64_t i1, std::int64_t i2, std::int64_t i3, std::int64_t o0, std::int64_t o1, std::int64_t o2, std::int64_t o3) {   \
        gather<unit>({x, indices, out, axis_stride, extent, mode, {n0, n1, n2, n3}, {x0, x1, x2, x3}, {i0, i1, i2, i3}, {o0, o1, o2, o3}}, points); \
    }
FASTNP_GATHER(1, std::uint8_t)
FASTNP_GATHER(2, std::uint16_t)
FASTNP_GATHER(4, std::uint32_t)
FASTNP_GATHER(8, std::uint64_t)
FASTNP_GATHER(16, Unit16)

// Notes the first of contiguous indices that is out of bounds: `found`, which is 0 before, becomes count - its number, the greatest that there is.
extern "C" void fastnp_kernel_check_indices(const std::int64_t* indices, std::int64_t count, std::int64_t extent, std::int64_t* found) {
    for_each(count, [&](std::int64_t i) {
        if (indices[i] < -extent || indices[i] >= extent) __atomic_fetch_max(found, count - i, __ATOMIC_RELAXED);
    });
}
