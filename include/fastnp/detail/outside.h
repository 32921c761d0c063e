// Functions of the outside (NumPy's own, random numbers, clocks) in a recording: each call of the compiled function calls them anew, between compiled
// code.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "fastnp/array.h"
#include "fastnp/export.h"

namespace fastnp::detail {

/// What such a function gave: arrays in C order, and a text for all that is around them, which must be the same for compiled code to go on.
struct Given {
    std::string structure;
    std::vector<array> arrays;
};

/// In a recording: calls `make` with the operands' values at hand, notes the call, and gives arrays that stand for what it gives at each call. The number
/// of the call among those of this recording is what Engine::Callee::make_call gets. RecordError where the recording can't read.
FASTNP_API std::vector<array> call_outside(const std::string& name, std::span<const array> operands,
                                           const std::function<Given(std::span<const array> values)>& make);

}  // namespace fastnp::detail
