// Conditions on sizes, as people read them.
#pragma once

#include <string>

#include "shape/dim.h"

namespace fastnp::detail {

/// "n - 1 != 0".
std::string guard_text(const shape::SizeGuard& guard, const shape::Sizes& sizes);

}  // namespace fastnp::detail
