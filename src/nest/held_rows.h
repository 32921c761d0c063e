// Rows that a GPU's threads hold in registers from stage to stage, a few vectors each, as a team.
#pragma once

#include <optional>

#include "nest/grid.h"

namespace fastnp::nest {

struct HeldRows {
    int width;  // elements of a vector
    int team;   // threads to a row: a power of two below a warp's, or whole warps
    int held;   // vectors of each thread, the last of which some may not have
    bool staged;  // whether what is stored is put together by the teams of a warp before
};

/// How the rows along an inner axis are best held, in vectors of at most `width` elements; none where their length is not known, or they are too long.
std::optional<HeldRows> held_rows(const Kernel& kernel, int lane, int width);

}  // namespace fastnp::nest
