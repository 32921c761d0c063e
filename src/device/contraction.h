// Products of matrices in a device's memory, as libraries for them take these.
#pragma once

#include <cstdint>

#include "fastnp/dtype.h"

namespace fastnp::device {

/// Matrices of one shape, at equal distances. Strides in elements, none negative: one is 1, the other at least the length of the axis that lies within it
/// (where an axis has one element, its stride does not count). `step`: from one matrix to the next; 0: it is the same one.
struct Matrices {
    void* data = nullptr;
    std::int64_t row_stride = 1, column_stride = 1;
    std::int64_t step = 0;
    friend bool operator==(const Matrices&, const Matrices&) = default;
};

/// out[n, i, j] = sum over k of x[n, i, k] * y[n, k, j], all of one dtype; then what is added to it, once it is rounded. No size is 0. `out` lies in rows,
/// shares no memory with the others, and its matrices none with each other.
struct Contraction {
    enum class Added : std::uint8_t {
        nothing,
        matrices,  // c, which lies in rows as `out` does
        row,  // to each row the same: c's data are `columns` elements side by side
    };
    Dtype dtype{};
    std::int64_t rows = 1, inner = 1, columns = 1, count = 1;
    Matrices x, y, out;
    Added added = Added::nothing;
    Matrices c{};
    friend bool operator==(const Contraction&, const Contraction&) = default;
};

}  // namespace fastnp::device
