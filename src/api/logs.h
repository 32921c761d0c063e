// What logs tell of compiled entries.
#pragma once

#include "api/entry.h"

namespace fastnp::detail {

/// Sets the logs that the environment names, once in a process.
void set_logs_by_environment();
/// A call had no entry, because of `miss`, and has this one now. `tells_break`: no front end tells what ended its recording.
void tell_of(const Entry& entry, const MissInfo& miss, double milliseconds, bool tells_break);

}  // namespace fastnp::detail
