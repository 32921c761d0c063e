// What front ends ask of arrays that are shared on a device.
#pragma once

#include "fastnp/array.h"
#include "fastnp/export.h"

namespace fastnp::detail {

/// Whether its elements are shared with another library on a device, so that nobody can be given an address on the host.
FASTNP_API bool is_shared(const array& x);

}  // namespace fastnp::detail
