// Kernels of a plan for arguments that begin at odd addresses.
#pragma once

#include <memory>
#include <mutex>

#include "device/backend.h"
#include "nest/grid.h"

namespace fastnp::plan {

/// A plan's own kernels take it that its arguments begin at multiples of 16 bytes, where that may be (nest::Buffer::checked). This one looks itself; it is
/// compiled when a call first needs it. Thread-safe.
class UnalignedKernel {
public:
    /// The module whose only kernel it is; it stays as long as the plan.
    const device::Module& module(const nest::Kernel& kernel, const nest::Grid& grid, device::Backend& backend);

private:
    std::once_flag once_;
    std::shared_ptr<device::Module> module_;
};

}  // namespace fastnp::plan
