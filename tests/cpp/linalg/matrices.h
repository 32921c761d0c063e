// Matrices to test with, and comparisons.
#pragma once

#include <vector>

#include "fastnp/fastnp.h"

namespace matrices {

using fastnp::array;

/// Numbers of [-1, 1] without a pattern, the same each time.
inline array some(const fastnp::Shape& shape, double seed = 1) {
    std::int64_t count = 1;
    for (const std::int64_t size : shape) count *= size;
    return sin(square(fastnp::arange(0.0, static_cast<double>(count))) * 12.9898 + seed).reshape(shape);  // of a line they would have rank 2
}

/// Of a complex dtype, too.
inline array some(const fastnp::Shape& shape, fastnp::Dtype dtype, double seed = 1) {
    if (!fastnp::is_complex(dtype)) return some(shape, seed).astype(dtype);
    return (some(shape, seed) + some(shape, seed + 0.5) * fastnp::Scalar(std::complex<double>(0, 1))).astype(dtype);
}

inline array adjoint(const array& x) { return conjugate(swapaxes(x, -1, -2)).astype(x.dtype()); }

/// Hermitian, and positive definite.
inline array definite(const fastnp::Shape& shape, fastnp::Dtype dtype = fastnp::float64, double seed = 1) {
    const array x = some(shape, dtype, seed);
    return (matmul(x, adjoint(x)) + fastnp::eye(shape[shape.size() - 1])).astype(dtype);
}

/// Of one shape, and equal but for rounding.
inline bool near(const array& x, const array& y, double tolerance = 1e-11) {
    if (x.shape() != y.shape()) return false;
    return fastnp::all(absolute(x - y) <= tolerance * (1 + absolute(y))).item<bool>();
}

inline double tolerance_of(fastnp::Dtype dtype) { return fastnp::real_of(dtype) == fastnp::float32 ? 1e-4 : 1e-11; }

}  // namespace matrices
