#include <charconv>
#include <optional>
#include <utility>

#include "device/registry.h"
#include "fastnp/device.h"
#include "fastnp/error.h"

namespace fastnp {

namespace {

std::string& current() {
    thread_local std::string name = "cpu";
    return name;
}

// Of "cuda" and "cuda:<number>".
std::optional<int> cuda_number(std::string_view name) {
    constexpr std::string_view cuda = "cuda";
    if (!name.starts_with(cuda)) return std::nullopt;
    name.remove_prefix(cuda.size());
    if (name.empty()) return 0;
    int number = 0;
    if (name[0] != ':' || name.size() < 2) return std::nullopt;
    const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), number);
    const bool is_number = error == std::errc() && end == name.data() + name.size() && number >= 0;
    return is_number ? std::optional(number) : std::nullopt;
}

void check(std::string_view name) {
    if (name == "cpu") return;
    const std::string quoted = "device '" + std::string(name) + "'";
    const auto number = cuda_number(name);
    if (!number) throw ValueError(quoted + ": no such device (there are 'cpu', 'cuda' and 'cuda:<number>')");
    const device::Listing listed = device::list_cuda();
    if (!listed.problem.empty()) throw DeviceError(quoted + ": " + listed.problem);
    const auto count = static_cast<int>(listed.devices.size());
    if (*number >= count) throw DeviceError(quoted + ": this machine has " + std::to_string(count) + " CUDA device" + (count == 1 ? "" : "s"));
    throw DeviceError(quoted + ": this version of fastnp computes on the processor alone");
}

}  // namespace

std::string current_device() { return current(); }

device_scope::device_scope(std::string_view name) : before_(current()) {
    check(name);
    current() = name;
}

device_scope::~device_scope() { current() = std::move(before_); }

}  // namespace fastnp
