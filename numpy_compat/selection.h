// Elements of sorted lines of arrays at hand, without sorting all of them.
#pragma once

#include <optional>
#include <vector>

#include "fastnp/array.h"

namespace fastnp::compat {

/// Whether partly_sorted() takes such an array.
bool is_selectable(const array& x);

/// A copy of x, laid out as sort(x) is, whose lines along the last axis have in these places what they have when they are sorted, NaN last. Places are
/// int64, and counted from the end where they are negative; each is for all lines, or there is one for each, along last axes that are the others of x.
array partly_sorted(const array& x, const std::vector<array>& places, bool is_by_line);

}  // namespace fastnp::compat
