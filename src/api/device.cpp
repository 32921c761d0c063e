#include "fastnp/device.h"

#include <unistd.h>

#include "codegen/jit.h"
#include "device/registry.h"

namespace fastnp {

std::vector<DeviceInfo> devices() {
    const auto pages = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES));
    std::vector<DeviceInfo> all{{"cpu", codegen::host_text(), pages * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE)), 0}};
    for (DeviceInfo& each : device::list_cuda().devices) all.push_back(std::move(each));
    return all;
}

std::string cuda_problem() { return device::list_cuda().problem; }

}  // namespace fastnp
