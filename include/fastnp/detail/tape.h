// The tape: ops on arrays that require a gradient are recorded as they come, without a function around them, until backward() takes it.
#pragma once

#include <memory>
#include <optional>

#include "fastnp/array.h"
#include "fastnp/export.h"

namespace fastnp::detail {

/// Of an array that requires a gradient: that gradient, and what stands for the array on the tape that it is on.
struct Leaf {
    std::optional<array> gradient;
    std::optional<array> marked;
};

/// Has this thread record on its tape, a new one where there is none to go on with. False within other recordings.
FASTNP_API bool enter_tape();
/// The same for the tape that a recorded array is on; false where backward() took that, and within other recordings.
FASTNP_API bool enter_tape_of(const array& x);
FASTNP_API void leave_tape();
/// Whether this thread records on a tape.
FASTNP_API bool records_on_tape();
/// Whether a recorded array is one of a tape, and that can still be gone back on.
FASTNP_API bool is_on_tape(const array& x);
FASTNP_API bool is_on_open_tape(const array& x);
/// On the tape that this thread records on: what stands for an array that requires a gradient.
FASTNP_API const array& on_tape(const std::shared_ptr<Leaf>& leaf, const array& x);
/// An array with the same elements that can be written to with derivatives.
FASTNP_API array taken_to_tape(const array& x);
/// The elements of an array of any tape, in memory that can't be written to.
FASTNP_API array tape_value(const array& x);
/// Adds x's derivative, weighted by `weight`, to the gradients of the arrays that it depends on. `keeps`: the tape stays; `records`: the gradients are on
/// it. ValueError if the tape is gone, or x depends on none.
FASTNP_API void backward(const array& x, const array& weight, bool keeps, bool records);

}  // namespace fastnp::detail
