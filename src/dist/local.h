// Ranks that are threads of one process.
#pragma once

#include <functional>

#include "dist/transport.h"
#include "fastnp/dist.h"

namespace fastnp::dist {

/// Runs a function in so many threads, each a rank. What one of them throws ends the others' calls with an RankError that names it, and is thrown here
/// (the lowest rank's that others did not cause).
void run_threads(int ranks, const std::function<void()>& function, const Faults& faults = {});

}  // namespace fastnp::dist
