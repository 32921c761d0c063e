// The ranks of a group as devices, which exchange memory by NCCL without the host's.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "device/backend.h"
#include "dist/transport.h"
#include "fastnp/dtype.h"
#include "ops/collective.h"

namespace fastnp::dist {

/// Why no device does collectives, in one line; empty where they may. (NCCL is looked for at the first call.)
std::string lacks_collectives();
/// Whether devices do such ones: not all ways to join elements are NCCL's, for all dtypes as NumPy has them. The same on all ranks.
bool devices_do(ops::Op op, const ops::Collective& asked, Dtype dtype);

/// This rank's device among those of the group.
class DeviceGroup {
public:
    DeviceGroup() = default;
    virtual ~DeviceGroup();
    DeviceGroup(const DeviceGroup&) = delete;
    DeviceGroup& operator=(const DeviceGroup&) = delete;

    /// Asks for a collective of elements in C's order, after what the device was asked for before; devices_do() it. `elements`: of the operand.
    virtual void run(ops::Op op, const ops::Collective& asked, Dtype dtype, const void* in, void* out, std::int64_t elements) = 0;
};

/// Null where two ranks have one device, or there is no NCCL. All ranks of the group call it at the same time, in which they wait for each other.
std::unique_ptr<DeviceGroup> make_device_group(device::Backend& backend, Transport& group);

}  // namespace fastnp::dist
