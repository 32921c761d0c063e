// The catalogue's ops as functions of arrays, and what compositions over them need. All go through apply(), so a composition written
// with them works on concrete arrays and while recording alike.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "api/body.h"
#include "api/layout.h"
#include "eager/eager.h"
#include "fastnp/ops.h"
#include "shape/arithmetic.h"
#include "shape/order.h"

namespace fastnp::api {

using shape::Dim;
using shape::Dims;

/// ValueError, in NumPy's words.
[[noreturn]] void throw_no_single_element();
/// ... unless an array of these sizes has one element.
void check_single(const Dims& sizes);
/// Memory for an array that is made by the host, at home on the device that the thread's scope names.
device::Memory allocate(Dtype dtype, const Shape& shape, const shape::AxisOrder& order = {});
/// The memory of a concrete array. RecordError for a recorded one: "`what` can't be recorded".
const device::Memory& memory_of(const array& x, const char* what);
/// RecordError unless x is concrete or a value of the recording that is going on.
void check_alive(const array& x);

/// Arithmetic on sizes as they are now: plain, or of the active recording.
inline shape::Arithmetic arithmetic() { return shape::Arithmetic(active_sizes()); }
/// Whether two arrays have one dtype and one shape; of sizes that vary, for the sizes at hand, which is guarded.
bool have_one_type(const array& x, const array& y);
/// Sizes, which may be symbolic (detail/size.h). ValueError for negative and excessive ones.
Dims checked_sizes(const Shape& shape, std::size_t itemsize = 1);
inline int rank_of(const array& x) { return x.ndim(); }

/// An operand as an array; a weak scalar takes `dtype`, or its default.
array as_array(const Operand& x, std::optional<Dtype> dtype = std::nullopt);
/// One value everywhere; converted to the dtype by convert().
array constant(const Scalar& value, Dtype dtype, const Dims& shape = {});
/// 0, 1, 2 ... along `axis`, as int64.
array iota(const Dims& shape, int axis);
/// A size as an int64 scalar: a constant, or a value that follows the arguments' sizes.
array extent(Dim size);
/// An integer of no axes, which lies from `low` to `high` (else it is a number of elements), as a size: while recording, one that the plan finds on its
/// way.
Dim size_of(const array& count, std::int64_t low = 0, std::int64_t high = shape::most_elements);
/// x itself where it has the dtype already.
array cast(const array& x, Dtype dtype);
/// A cast in passing, to the dtype of a loop: what is made of it lies as what is made of x, repeated elements included. Not to be handed out.
array converted(const array& x, Dtype dtype);
/// x itself where it has the shape already.
array broadcast(const array& x, const Dims& shape);
array reshape(const array& x, const Dims& shape);
array flatten(const array& x);
array permute(const array& x, std::span<const std::int64_t> axes);
array slice(const array& x, const Dims& starts, const Dims& lengths, std::span<const std::int64_t> steps);
array expand(const array& x, std::span<const std::int64_t> places);
array squeeze(const array& x, std::span<const std::int64_t> places);
/// where(condition, x, y) of one dtype and any shapes.
array select(const array& condition, const array& x, const array& y);
/// A fold, argfold or scan over normalized axes.
array fold(ir::Op op, const array& x, std::span<const std::int64_t> axes);

/// A view of the parts (`real` or `imag`) of a recorded complex array.
array recorded_part(const array& x, ir::Op part);
/// The recorded complex array that an array shows parts of, as it shows them, and which (`real` or `imag`); nothing where it shows no parts.
std::optional<std::pair<array, ir::Op>> numbers_of(const array& x);
/// Any map op, with everything NumPy's ufuncs do to their operands.
array ufunc(ir::Op op, std::span<const Operand* const> operands, const UfuncOptions& options = {});

/// Copies x into the view `out`, broadcast and cast by any rule. ValueError "could not broadcast input array from shape ...".
void assign(const array& out, const array& x);
/// What is assigned, in the shape of what it is assigned to: first axes of one element that the target lacks are dropped, as NumPy does.
array broadcast_into(const array& x, const shape::Dims& shape);
/// IndexError in NumPy's words unless the mask is one for x's first axes.
void check_mask(const array& x, const array& mask);
/// ValueError unless it may be written to.
void check_writable(const array& out, const char* message = "output array is read-only");
/// The view that eager kernels take: memory as the host reads it, which is there after that (device/span.h: as it writes to it).
eager::View view_of(const device::Memory& memory);

}  // namespace fastnp::api
