// Several elementwise ops one after the other over blocks that a cache holds, as one walk over memory.
#pragma once

#include "api/primitives.h"

namespace fastnp::api {

/// One op on what was made so far and a number (an array without axes), or on that alone.
struct BlockStep {
    ir::Op op;
    const array* number = nullptr;
    bool number_first = false;
};

/// The steps on each element of x, whose dtype all have, in x's layout; nothing where x is recorded, moved to devices, or does not lie without gaps.
std::optional<array> in_blocks(const array& x, std::initializer_list<BlockStep> steps);

}  // namespace fastnp::api
