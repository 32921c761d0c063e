// Layout of elements in memory: strides (always in bytes), and what follows from them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "fastnp/small_vector.h"

namespace fastnp::shape {

/// As NumPy multiplies strides by steps, which may be any: of what has one element at most they are not used.
inline std::int64_t wrapping_product(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

/// Elements of a shape; ValueError where they are too many to address, or a size is negative.
std::int64_t count(const Shape& shape);
/// The bytes they take, for allocating; ValueError as above.
std::size_t byte_count(const Shape& shape, std::size_t itemsize);
/// Bytes as they were worked out from sizes (see Sizes::evaluate), for allocating; ValueError where they are too many.
std::size_t allocatable(std::int64_t bytes);

/// Strides of C order.
Strides c_strides(const Shape& shape, std::size_t itemsize);
/// NumPy's flags: axes of size 1 do not count, and an array without elements is contiguous.
bool is_c_contiguous(const Shape& shape, const Strides& strides, std::size_t itemsize);
bool is_f_contiguous(const Shape& shape, const Strides& strides, std::size_t itemsize);

/// Strides that show the same memory under another shape in C order, if there are any. The element counts are equal.
std::optional<Strides> reshaped(const Shape& from, const Strides& strides, const Shape& to, std::size_t itemsize);

/// Strides with which elements of shape `from` repeat to shape `to`.
Strides broadcast_strides(const Shape& from, const Strides& strides, const Shape& to);

struct Layout {
    const void* data;
    const Shape& shape;
    const Strides& strides;
    std::size_t itemsize;
};

/// The bytes between which all elements lie: [low, high) from `data`.
struct Bounds {
    std::int64_t low;
    std::int64_t high;
};
Bounds bounds(const Layout& layout);

/// Whether two arrays may have a byte in common. Never wrong where it says no; interleaved slices such as x[::2] and x[1::2] are told apart.
bool may_overlap(const Layout& a, const Layout& b);
/// Whether both show the same elements in the same order, so that an elementwise op may write one while reading the other.
bool is_same(const Layout& a, const Layout& b);
/// Whether an element is shown more than once (a broadcast view): such memory can't be written elementwise.
bool repeats(const Shape& shape, const Strides& strides);

/// Drops axes of size 1 and joins neighbouring axes that all operands step through as one, so that loops are few and long.
void collapse(Shape& shape, std::span<Strides> operands);

}  // namespace fastnp::shape
