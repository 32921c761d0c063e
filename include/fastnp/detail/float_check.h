// Floating-point errors where nothing tells of them.
#pragma once

#include "fastnp/export.h"

namespace fastnp::detail {

/// Sets what is called, by any thread, before a device computes with floating-point numbers: devices have no flags, so a front end that was asked for
/// these errors throws. Null: nothing.
FASTNP_API void set_float_check(void (*check)());

}  // namespace fastnp::detail
