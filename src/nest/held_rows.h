// Rows that a GPU's threads hold in registers from stage to stage, a few vectors each, as a team.
#pragma once

#include <cstdint>
#include <optional>

#include "nest/grid.h"

namespace fastnp::nest {

struct HeldRows {
    int width;  // elements of a vector
    int team;   // threads to a row: a power of two below a warp's, or whole warps; 1: a thread folds its row's elements in order
    int held;   // vectors of each thread, the last of which some may not have
    bool staged;  // whether what is stored is put together by the teams of a warp before
};

/// How the rows along an inner axis are best held, in vectors of at most `width` elements; none where their length is not known, or they are too long.
std::optional<HeldRows> held_rows(const Kernel& kernel, int lane, int width);

/// Elements of a row whose sum has another order in NumPy than one after the other, at least.
inline constexpr std::int64_t least_summed = 8;

/// Whether there are so many rows that teams of so many threads keep a GPU busy.
bool are_many_rows(const Kernel& kernel, std::int64_t team);

/// Whether there are many rows of fewer elements, which threads that have one each would store with gaps, but can put together before.
bool are_rows_of_threads(const Kernel& kernel);

}  // namespace fastnp::nest
