// The line of the user's program that a thread is at.
#pragma once

#include "ir/location.h"

namespace fastnp::trace {

/// As the front end says it (fastnp/detail/line.h), or, in a program of machine code that has debug information, the call of the library that the thread
/// is in; else `other`.
ir::Location here(ir::Location other);

}  // namespace fastnp::trace
