// The door through which a back end that nothing includes (cuda/) tells of its devices.
#pragma once

#include <string>
#include <vector>

#include "fastnp/device.h"

namespace fastnp::device {

struct Listing {
    std::vector<DeviceInfo> devices;
    std::string problem;  // why there are none
};

/// Called while the library is loaded, before there are threads.
void register_cuda(Listing (*list)());

/// What the registered back end lists.
Listing list_cuda();

}  // namespace fastnp::device
