// Loops on a device: states are arrays there that take turns, and nothing is waited for.
#pragma once

#include <span>
#include <vector>

#include "device/movable.h"
#include "eager/eager.h"
#include "plan/plan.h"

namespace fastnp::plan {

/// An array on a device; `there` is empty where the memory is another's.
struct DeviceArray {
    device::There there;
    eager::View view;
};

class DeviceRun;

/// Takes all turns of a loop whose body is planned for the device; `body` runs it. `operands`: the states' beginnings, the arrays of parts, the constants.
/// Gives the states at the end, what was collected, what was saved, each in memory that nothing else has; nothing where the step has no slot for it.
std::vector<DeviceArray> take_turns_on_device(const LoopStep& step, DeviceRun& body, std::span<const eager::View> operands, std::int64_t* values,
                                              trace::Caller& caller);

}  // namespace fastnp::plan
