// Indices on a device: contiguous, and looked at.
#pragma once

#include "device/block.h"
#include "eager/eager.h"
#include "plan/device_dense.h"

namespace fastnp::plan {

/// Finds, on the device, the first index that is out of bounds; the host asks for it later.
class IndexCheck {
public:
    /// `indices` are contiguous, and stay where they are. The places from the start that they mean are stored at `places`, unless that is null; nothing is
    /// where an index is out of bounds.
    IndexCheck(device::Backend& backend, const eager::View& indices, std::int64_t axis, std::int64_t extent, void* places = nullptr);

    /// For kernels: 0 as long as there is none.
    const void* found() const { return found_.get(); }

    /// Waits for it. IndexError if there is one.
    void finish() const;

private:
    device::Backend& backend_;
    eager::View indices_;
    std::int64_t axis_, extent_;
    device::Block found_;
};

}  // namespace fastnp::plan
