// Memory that arrays borrow from others.
#pragma once

#include <functional>

#include "fastnp/array.h"
#include "fastnp/export.h"

namespace fastnp::detail {

/// Sets what tells, from the function that lets such memory go, whether anybody else may look at it. Until then all of it may be.
FASTNP_API void set_seen_by_others(bool (*check)(const std::function<void()>& release));

/// What lets the memory of an array go, if it is borrowed; null for other memory and in recordings.
FASTNP_API const std::function<void()>* release_of(const array& x);

}  // namespace fastnp::detail
