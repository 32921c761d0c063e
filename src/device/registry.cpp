#include "device/registry.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "base/fork.h"
#include "fastnp/error.h"

namespace fastnp::device {

namespace {

constinit Door door;

struct Folders {
    std::mutex mutex;
    std::vector<std::string> names;
};

Folders& folders() {
    return base::made_once([] { return std::make_unique<Folders>(); });
}

}  // namespace

Door register_cuda(const Door& made) { return std::exchange(door, made); }

Listing list_cuda() { return door.list != nullptr ? door.list() : Listing{{}, "this build of fastnp has no CUDA back end"}; }

std::vector<DeviceLibrary> list_libraries() { return door.libraries != nullptr ? door.libraries() : std::vector<DeviceLibrary>(); }

std::vector<std::string> library_folders() {
    const std::scoped_lock lock(folders().mutex);
    return folders().names;
}

Backend& cuda(int number, std::string_view named) {
    const std::string name = "device '" + (named.empty() ? "cuda:" + std::to_string(number) : std::string(named)) + "'";
    const Listing listed = list_cuda();
    if (!listed.problem.empty()) throw DeviceError(name + ": " + listed.problem);
    const auto count = static_cast<int>(listed.devices.size());
    if (number < 0 || number >= count) throw DeviceError(name + ": this machine has " + std::to_string(count) + " CUDA device" + (count == 1 ? "" : "s"));
    if (door.open == nullptr) throw DeviceError(name + ": this build of fastnp computes on the processor alone");
    return door.open(number);
}

Backend& cuda_with(const void* address) {
    const int number = door.find == nullptr ? -1 : door.find(address);
    if (number < 0) throw BufferError("the address that an array of another library gives is on no CUDA device");
    return cuda(number);
}

}  // namespace fastnp::device

namespace fastnp {

std::vector<DeviceLibrary> device_libraries() { return device::list_libraries(); }

void look_for_libraries_in(std::string_view folder) {
    device::Folders& folders = device::folders();
    const std::scoped_lock lock(folders.mutex);
    if (!folder.empty() && std::ranges::find(folders.names, folder) == folders.names.end()) folders.names.emplace_back(folder);
}

}  // namespace fastnp
