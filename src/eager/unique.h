// The different elements of a line without gaps, in order.
#pragma once

#include "eager/eager.h"

namespace fastnp::eager {

/// Sorts the line and puts the first one of each value at its beginning; how many these are. Where given, `starts` has the place of each in the sorted
/// line. NaN are one value, or each its own. (Both have room for all elements.)
std::int64_t sort_unique(const View& line, bool equal_nan, std::int64_t* starts);

/// By value: where its first one lies in the line, and where it begins in the sorted one. By element: the number of its value.
struct UniquePlaces {
    std::int64_t *indices, *starts, *inverse;
};

/// The same of a line that stays as it is: the values, and their places. (All have room for all elements.)
std::int64_t order_unique(const View& line, bool equal_nan, void* values, const UniquePlaces& places);

}  // namespace fastnp::eager
