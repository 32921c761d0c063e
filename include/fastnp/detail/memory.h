// What those that hand out arrays ask of their memory.
#pragma once

#include <memory>

#include "fastnp/array.h"
#include "fastnp/export.h"

namespace fastnp::detail {

/// Whether it is at home on a device, so that reading it may wait for what is still to be done there. Not so of a recorded array.
FASTNP_API bool is_at_device(const array& x);

/// Brings the elements to the host, where they can be read and written at any time, by their address (address_of), while the result lives; after that an
/// array of a device is at home there again. Null for memory that never leaves the host. RecordError while recording.
FASTNP_API std::shared_ptr<void> lend(const array& x);

/// A view of the real or imaginary parts of a complex array.
FASTNP_API array part_of(const array& x, bool imaginary);
/// Whether two arrays of a recording lie in the same memory.
FASTNP_API bool shares_storage(const array& x, const array& y);
/// Of an array of a recording: there are copies of it that stand for views, so that writing to its memory is an error from now on.
FASTNP_API void refuse_writes(const array& x);
/// matmul(x, y) in out, whose stacks may be more (numpy.matmul's out=). UFuncTypeError's words where it can't be cast to out's dtype by same_kind,
/// ValueError where the sizes don't fit.
FASTNP_API array matmul_into(const array& x, const array& y, const array& out);

}  // namespace fastnp::detail
