// Arguments of random programs: any dtype, sizes from 0 on, views of all kinds, special values.
#include <cmath>
#include <limits>

#include "program.h"

namespace fastnp::fuzz {

namespace {

using Engine = std::mt19937_64;

double element(Engine& draw, Kind kind) {
    if (kind == Kind::smooth) return std::uniform_real_distribution<double>(-2, 2)(draw);
    const double small = static_cast<double>(static_cast<int>(draw() % 81) - 40) / 8;
    if (kind == Kind::summed || draw() % 4 != 0) return small;
    constexpr double special[] = {std::numeric_limits<double>::quiet_NaN(),
                                  std::numeric_limits<double>::infinity(),
                                  -std::numeric_limits<double>::infinity(),
                                  -0.0,
                                  0.0,
                                  1e300,
                                  -1e300,
                                  5e-324};
    return special[draw() % std::size(special)];
}

array elements(Engine& draw, const Shape& shape, Dtype dtype, Kind kind) {
    array x = array::uninitialized(float64, shape);
    const bool whole = dtype != float64 && dtype != float32 && dtype != float16 && dtype != complex64 && dtype != complex128;
    for (double& e : x.as_span<double>()) {
        e = element(draw, whole ? Kind::summed : kind);
        if (whole) e = std::floor(std::abs(e));  // what does not fit is left to the processor
    }
    return x.astype(dtype);
}

array view(Engine& draw, const array& x) {
    if (x.ndim() == 0) return x;
    switch (draw() % 9) {
        case 0: return x.index({Slice{std::nullopt, std::nullopt, -1}});
        case 1: return x.index({ellipsis, Slice{std::nullopt, std::nullopt, 2}});
        case 2: return x.T();
        case 3: return x.index({Slice{1}});
        case 4: return x.index({ellipsis, Slice{std::nullopt, std::nullopt, -2}});
        case 5: return x.copy(Order::f);
        case 6: return x.index({newaxis, ellipsis});
        default: return x;
    }
}

}  // namespace

std::vector<array> random_arguments(std::uint64_t seed, std::uint64_t call, Kind kind) {
    constexpr Dtype dtypes[] = {float64, float64, float32, float16, int8, uint8, int16, int32, uint32, int64, uint64, bool_, complex64, complex128};
    constexpr std::int64_t sizes[] = {0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33};
    Engine kinds(seed * 977 + 5);
    Engine draw(seed * 1009 + call * 31 + 7);
    const std::int64_t common[] = {sizes[draw() % std::size(sizes)], sizes[draw() % std::size(sizes)], sizes[draw() % std::size(sizes)]};
    std::vector<array> made;
    const std::size_t count = 1 + kinds() % 3;
    for (std::size_t i = 0; i < count; ++i) {
        const Dtype dtype = kind == Kind::smooth ? float64 : dtypes[kinds() % std::size(dtypes)];
        const std::size_t rank = kinds() % 4;
        Shape shape;
        for (std::size_t axis = 3 - rank; axis < 3; ++axis) shape.push_back(draw() % 7 == 0 ? 1 : common[axis]);
        made.push_back(view(draw, elements(draw, shape, dtype, kind)));
    }
    return made;
}

}  // namespace fastnp::fuzz
