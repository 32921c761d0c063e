// Sizes of a recording as numbers: a size that varies from call to call is a large number that stands for an expression over the arguments' sizes.
// It goes through Shape, Slice and Index as it is. For front ends that show sizes to users as something that counts like an int.
#pragma once

#include <cstdint>
#include <optional>

#include "fastnp/array.h"
#include "fastnp/export.h"

namespace fastnp::detail {

/// Whether it stands for an expression.
FASTNP_API bool is_symbolic(std::int64_t size);
/// The sizes of a recorded array.
FASTNP_API Shape symbolic_shape(const array& x);
/// Its number of elements.
FASTNP_API std::int64_t symbolic_size(const array& x);

enum class SizeOp : std::uint8_t { add, subtract, multiply, floor_divide };
/// Arithmetic; floor_divide by a positive number. The result is guarded to be small enough that nothing overflows on the way there; nothing where it is
/// not. ValueError without a recording.
FASTNP_API std::optional<std::int64_t> combine(SizeOp op, std::int64_t a, std::int64_t b);
/// Comparisons answer for the sizes at hand, and guard the answer.
FASTNP_API bool sizes_equal(std::int64_t a, std::int64_t b);
FASTNP_API bool size_at_least(std::int64_t a, std::int64_t b);
/// The number that it is now; ties the recording to it.
FASTNP_API std::int64_t concretize(std::int64_t size);
/// The size as an int64 array of no axes, which follows the arguments.
FASTNP_API array size_value(std::int64_t size);
/// start, start + 1 ... below stop, as an int64 array.
FASTNP_API array size_range(std::int64_t start, std::int64_t stop);
/// An integer array of no axes as a size: while recording, one that varies from call to call, as long as it is small; nothing where it is not.
FASTNP_API std::optional<std::int64_t> size_from(const array& count);
/// A name of the recording that this thread is in; null without one.
FASTNP_API const void* recording_of_sizes();

/// The array as one that can't be written to, recorded or not.
FASTNP_API array read_only(const array& x);
/// Whether an array lies in the memory that another one lies in, as its views do, recorded or not.
FASTNP_API bool is_beside(const array& x, const array& other);

}  // namespace fastnp::detail
