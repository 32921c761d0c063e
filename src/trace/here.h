// The line of the user's program that a thread is at.
#pragma once

#include "ir/location.h"

namespace fastnp::trace {

/// As the front end says it (fastnp/detail/line.h); none if no front end does.
ir::Location here();

}  // namespace fastnp::trace
