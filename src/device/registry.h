// The door through which a back end that nothing includes (cuda/) tells of its devices.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "device/backend.h"
#include "fastnp/device.h"

namespace fastnp::device {

struct Listing {
    std::vector<DeviceInfo> devices;
    std::string problem;  // why there are none
};

struct Door {
    Listing (*list)() = nullptr;
    /// The device of a number that is listed, ready to be used; made once, never destroyed. DeviceError if it can't be.
    Backend& (*open)(int number) = nullptr;
    /// The number of the device that an address is on; negative if it is on none.
    int (*find)(const void* address) = nullptr;
    /// The libraries that devices use, found or not.
    std::vector<DeviceLibrary> (*libraries)() = nullptr;
};

/// Called while the library is loaded, before there are threads; by tests, too, to put another back end there. Gives what was there before.
Door register_cuda(const Door& door);

/// What the registered back end lists.
Listing list_cuda();
std::vector<DeviceLibrary> list_libraries();
/// What look_for_libraries_in() named so far.
std::vector<std::string> library_folders();
/// The device of a name that device_scope takes; null: the processor. ValueError, DeviceError: as device_scope.
Backend* backend_named(std::string_view name);
/// The device that the innermost device_scope of this thread names; null: the processor.
Backend* current_backend();
/// A CUDA device. DeviceError: there is no such device; the message says what is missing, and the name (empty: the usual one).
Backend& cuda(int number, std::string_view name = {});
/// The CUDA device that an address is on. BufferError: it is on none.
Backend& cuda_with(const void* address);

}  // namespace fastnp::device
