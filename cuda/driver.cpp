#include "driver.h"

#include <dlfcn.h>

#include <array>
#include <initializer_list>
#include <utility>

#include "device/registry.h"

namespace fastnp::cuda {

namespace {

constexpr int compute_capability_major = 75;
constexpr int compute_capability_minor = 76;

template <class F>
bool find(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    return function != nullptr;
}

bool find_all(void* library, Driver& driver) {
    return find(library, "cuInit", driver.init) && find(library, "cuDriverGetVersion", driver.driver_get_version) &&
           find(library, "cuDeviceGetCount", driver.device_get_count) && find(library, "cuDeviceGet", driver.device_get) &&
           find(library, "cuDeviceGetName", driver.device_get_name) && find(library, "cuDeviceTotalMem_v2", driver.device_total_mem) &&
           find(library, "cuDeviceGetAttribute", driver.device_get_attribute) && find(library, "cuGetErrorString", driver.get_error_string);
}

std::string text_of(const Driver& driver, int error) {
    const char* text = nullptr;
    if (driver.get_error_string(error, &text) != 0 || text == nullptr) return "error " + std::to_string(error);
    return text;
}

Driver load() {
    Driver driver;
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        driver.problem = "there is no CUDA driver on this machine (libcuda.so.1 was not found)";
    } else if (!find_all(library, driver)) {
        driver.problem = "the CUDA driver of this machine is too old";
    } else if (const int error = driver.init(0); error != 0) {
        driver.problem = "the CUDA driver does not start: " + text_of(driver, error);
    } else if (const int error = driver.device_get_count(&driver.devices); error != 0) {
        driver.problem = "the CUDA driver lists no devices: " + text_of(driver, error);
    } else if (driver.devices == 0) {
        driver.problem = "the CUDA driver shows no device (is CUDA_VISIBLE_DEVICES empty?)";
    }
    if (!driver.problem.empty()) driver.devices = 0;
    return driver;
}

device::Listing list() {
    const Driver& driver = Driver::get();
    device::Listing listing{{}, driver.problem};
    for (int i = 0; i < driver.devices; ++i) listing.devices.push_back(driver.info(i));
    return listing;
}

[[maybe_unused]] const bool registered = (device::register_cuda(&list), true);

}  // namespace

const Driver& Driver::get() {
    static const Driver loaded = load();
    return loaded;
}

DeviceInfo Driver::info(int ordinal) const {
    int device = 0;
    DeviceInfo result;
    result.name = "cuda:" + std::to_string(ordinal);
    if (device_get(&device, ordinal) != 0) return result;
    std::array<char, 256> name{};
    if (device_get_name(name.data(), static_cast<int>(name.size()) - 1, device) == 0) result.model = name.data();
    if (device_total_mem(&result.memory_bytes, device) != 0) result.memory_bytes = 0;
    int major = 0;
    int minor = 0;
    if (device_get_attribute(&major, compute_capability_major, device) == 0 && device_get_attribute(&minor, compute_capability_minor, device) == 0) {
        result.compute_capability = 10 * major + minor;
    }
    return result;
}

}  // namespace fastnp::cuda
