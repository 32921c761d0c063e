// What functions of the outside take and give, as memory.
#pragma once

#include <span>
#include <vector>

#include "fastnp/detail/outside.h"
#include "trace/called.h"

namespace fastnp::detail {

/// Arrays over memory, which can't be written to.
std::vector<array> arrays_over(std::span<const device::Memory> memories);
trace::Called called_of(const Given& given);

}  // namespace fastnp::detail
