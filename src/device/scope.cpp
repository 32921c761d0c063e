#include <charconv>
#include <optional>
#include <utility>

#include "device/registry.h"
#include "fastnp/device.h"
#include "fastnp/error.h"

namespace fastnp {

namespace {

struct Current {
    std::string name = "cpu";
    device::Backend* backend = nullptr;
};

Current& current() {
    thread_local Current made;
    return made;
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

}  // namespace

device::Backend* device::backend_named(std::string_view name) {
    if (name == "cpu") return nullptr;
    const auto number = cuda_number(name);
    if (!number) throw ValueError("device '" + std::string(name) + "': no such device (there are 'cpu', 'cuda' and 'cuda:<number>')");
    return &device::cuda(*number, name);
}

device::Backend* device::current_backend() { return current().backend; }

std::string current_device() { return current().name; }

device_scope::device_scope(std::string_view name) : before_(current().name), backend_before_(current().backend) {
    device::Backend* backend = device::backend_named(name);
    current() = {std::string(name), backend};
}

device_scope::~device_scope() { current() = {std::move(before_), static_cast<device::Backend*>(backend_before_)}; }

}  // namespace fastnp
