// A plan on a device.
#pragma once

#include "plan/plan.h"

namespace fastnp::plan {

/// As Plan::run. Arguments that are movable go to the device and stay there; others are copied there, and back if they were written to. Results are at
/// home on the device. Steps that have no form for devices are done by the host, on copies.
Outcome run_on_device(const Plan& plan, std::span<void* const> arguments, std::span<const Placed> placed, std::int64_t* values, trace::Caller& caller,
                      std::vector<Result>& results);

/// Whether a plan has no steps but those that the device itself does.
bool is_done_by_device(const Plan& plan);

}  // namespace fastnp::plan
