// What this library was built with, and what it found on this machine.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fastnp/export.h"

namespace fastnp::detail {

/// Names and values: version, LLVM, processor, instruction set, threads, the folder of the disk cache.
FASTNP_API std::vector<std::pair<std::string, std::string>> configuration();

}  // namespace fastnp::detail
