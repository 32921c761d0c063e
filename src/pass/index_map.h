// Which element of a value a point of an iteration space reads: per axis of the value an affine index. Moves (transposes, slices,
// broadcasts, ...) are transformations of such maps, not copies.
#pragma once

#include <optional>

#include "ir/graph.h"

namespace fastnp::pass {

/// offset + step * (index along an axis of the iteration space); axis -1: the offset alone.
struct Index {
    int axis = -1;
    std::int64_t step = 0;
    shape::Dim offset = 0;
    friend bool operator==(const Index&, const Index&) = default;
};
using IndexMap = SmallVector<Index>;

/// Each axis of a value of that rank by itself.
IndexMap identity_map(std::size_t rank);

/// The map of a move's operand, given that of its result; nothing for a reshape that mixes axes.
std::optional<IndexMap> through(const ir::Node& move, const IndexMap& result, shape::Sizes& sizes);

/// The map of what a pad surrounds, given that of its result: indices outside of the operand are those of the border.
IndexMap padded_map(const ir::Node& pad, const IndexMap& result, shape::Sizes& sizes);

/// The maps of what a take reads, given that of its result: of the array, which says nothing of the axis that is picked along, and of the indices.
struct TakeMaps {
    IndexMap from, indices;
};
TakeMaps taken_maps(const ir::Node& take, const IndexMap& result);

/// Where a value lies in memory: a view of another value's buffer. Offset and strides in bytes.
struct Storage {
    ir::Value base = nullptr;
    shape::Dim offset = 0;
    shape::Dims strides;
};

/// Whether there are no elements in the call at hand; then it is so in all that the recording serves.
bool has_no_elements(const shape::Dims& shape, shape::Sizes& sizes);
/// C order strides in bytes.
shape::Dims contiguous_strides(const shape::Dims& shape, Dtype dtype, shape::Sizes& sizes);

/// How arrays that a program makes lie in memory: in C order, or, `padded`, in C order with rows (all but the last axis) that begin at multiples of a
/// vector's 64 bytes, so that rows over each other lie alike to vectors. Rows below 1 KiB, and those whose length is no number, are not padded.
enum class Layout : std::uint8_t { contiguous, padded };
shape::Dims strides_in(Layout layout, const shape::Dims& shape, Dtype dtype, shape::Sizes& sizes);
/// Whether strides are C order's (of axes longer than one).
bool is_contiguous(const shape::Dims& shape, const shape::Dims& strides, Dtype dtype, shape::Sizes& sizes);

/// A storage seen through a move; nothing where a reshape would have to copy.
std::optional<Storage> view(const ir::Node& move, const Storage& operand, shape::Sizes& sizes);

/// Where the region that an update stores to lies, given where the whole does.
Storage region_of(const ir::Node& update, const Storage& whole, shape::Sizes& sizes);

}  // namespace fastnp::pass
