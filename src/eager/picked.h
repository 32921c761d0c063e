// Elements that indices along neighbouring axes name together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "eager/eager.h"

namespace fastnp::eager {

/// What an index means that no element has.
enum class OutOfBounds : std::uint8_t { raise, wrap, clip };

/// The place along an axis that an index means; IndexError where it is none.
std::int64_t place_of(std::int64_t index, std::int64_t extent, std::size_t axis, OutOfBounds mode);

/// x[..., indices[0], indices[1], ..., ...]: int64, of one shape (zero strides where they are broadcast), for as many axes of x from `axis` on.
struct Picked {
    View x;
    std::size_t axis = 0;
    std::span<const View> indices;
    OutOfBounds mode = OutOfBounds::raise;
};

/// IndexError for the first index that names no element.
void check(const Picked& picked);

/// Fetches them: out has x's axes before those, the indices' axes and x's other ones.
void gather(const Picked& picked, const View& out);

/// Sets them, in C order of the indices: of several values for one element the last one stays. `values`: as `out` above, in other memory than x.
void scatter(const Picked& picked, const View& values);

/// x = op(x, value) for one index after the other. The op's loop is x's dtype.
void combine(const Picked& picked, ops::Op op, const View& values);

/// One more than the largest of a line of places; 0 where there are none. ValueError for one below 0.
std::int64_t places_end(const View& places);
/// Adds to `counts` (int64, side by side) how often each place comes in a line of them, all of which are there.
void count_places(const View& places, const View& counts);
/// Adds a line of weights (float64) to `sums` (side by side) at a place each, one after the other.
void add_at_places(const View& places, const View& weights, const View& sums);

}  // namespace fastnp::eager
