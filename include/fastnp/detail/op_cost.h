// What an op costs, for tools that share a kernel's time among its lines.
#pragma once

#include <string_view>

#include "fastnp/export.h"

namespace fastnp::detail {

/// About how many additions an op takes for each element that it reads or makes: 0 for those that only make or move arrays. ValueError for other names.
FASTNP_API int additions_of(std::string_view op);

}  // namespace fastnp::detail
