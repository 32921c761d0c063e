// What explain() tells, as text.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fastnp/compile.h"

namespace fastnp::detail {

/// A line a kernel: its number, kind, axes, ops, bytes, operations, time, and why it is apart.
std::string kernels_text(const std::vector<KernelInfo>& kernels);
/// A line for each piece of memory.
std::string memory_text(const std::vector<MemoryInfo>& memory);
/// A line a phase.
std::string times_text(const std::vector<std::pair<std::string, double>>& milliseconds);

}  // namespace fastnp::detail
