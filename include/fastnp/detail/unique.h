// Different elements and how often they come, for front ends.
#pragma once

#include "fastnp/array.h"
#include "fastnp/export.h"

namespace fastnp::detail {

/// The values of unique_all() and how often they come (int64), without places.
struct CountedValues {
    array values, counts;
};
FASTNP_API CountedValues counted_values(const array& x, bool equal_nan);

}  // namespace fastnp::detail
