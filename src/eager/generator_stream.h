// A generator of this library's as a stream of NumPy's kind, for what draws one number at a time.
#pragma once

#include "eager/stream.h"
#include "fastnp/detail/draws.h"

namespace fastnp::eager {

/// Draws change the generator, which has to live as long.
BitStream stream_of(fastnp::detail::BitGenerator& generator);

}  // namespace fastnp::eager
