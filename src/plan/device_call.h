// A call of a plan on a device.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "base/lock.h"
#include "plan/plan.h"

namespace fastnp::plan {

/// As Plan::run. Arguments that are movable go to the device and stay there; others are copied there, and back if they were written to. Results are at
/// home on the device. Steps that have no form for devices are done by the host, on copies.
Outcome run_on_device(const Plan& plan, std::span<void* const> arguments, std::span<const Placed> placed, std::int64_t* values, trace::Caller& caller,
                      std::vector<Result>& results);

class DeviceCall;

/// What calls of a plan that ended leave to those that come after. Thread-safe.
class DeviceCalls {
public:
    DeviceCalls();
    ~DeviceCalls();
    DeviceCalls(const DeviceCalls&) = delete;
    DeviceCalls& operator=(const DeviceCalls&) = delete;

    std::unique_ptr<DeviceCall> take(const Plan& plan);
    void give_back(std::unique_ptr<DeviceCall> call) noexcept;

private:
    std::atomic<DeviceCall*> last_{nullptr};  // that was given back, for whoever comes first; owned
    base::Lock mutex_;
    std::vector<std::unique_ptr<DeviceCall>> idle_;  // the others
};

}  // namespace fastnp::plan
