// Whether results may depend on the number of threads, and on how long something took.
#pragma once

#include <atomic>

#include "fastnp/export.h"

namespace fastnp::detail {

/// By FASTNP_DETERMINISTIC, or set: the same calls give the same bits, whatever the number of threads.
FASTNP_API bool is_deterministic();
/// Sets it for the process; gives what it was.
FASTNP_API bool set_deterministic(bool now);

}  // namespace fastnp::detail
