#include "driver.h"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace fastnp::cuda {

namespace {

constinit std::atomic<bool> process_ends = false;

template <class F>
bool find(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    return function != nullptr;
}

// The name of a function that the driver lacks, or nothing.
const char* find_all(void* library, Driver& driver) {
#define FUNCTION(name, symbol, parameters) \
    if (!find(library, #symbol, driver.name)) return #symbol;
#define RECENT(name, symbol, parameters) find(library, #symbol, driver.name);
#include "driver.def"
#undef RECENT
#undef FUNCTION
    return nullptr;
}

Driver load() {
    Driver driver;
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        driver.problem = "there is no CUDA driver on this machine (libcuda.so.1 was not found)";
    } else if (const char* missing = find_all(library, driver); missing != nullptr) {
        driver.problem = std::string("the CUDA driver of this machine is too old (it has no ") + missing + ")";
    } else if (const int error = driver.init(0); error != success) {
        driver.problem = "the CUDA driver does not start: " + driver.text_of(error);
    } else if (const int error = driver.device_get_count(&driver.devices); error != success) {
        driver.problem = "the CUDA driver lists no devices: " + driver.text_of(error);
    } else if (driver.devices == 0) {
        driver.problem = "the CUDA driver shows no device (is CUDA_VISIBLE_DEVICES empty?)";
    }
    if (!driver.problem.empty()) driver.devices = 0;
    // What is registered last runs first: the driver is still there then, and may not be for what was registered before.
    if (driver.devices != 0 && std::atexit([] { process_ends.store(true, std::memory_order_release); }) != 0) {
        driver.devices = 0;
        driver.problem = "the CUDA driver is not used: the end of the process can't be noticed (atexit failed)";
    }
    return driver;
}

}  // namespace

const Driver& Driver::get() {
    static const Driver* const loaded = new Driver(load());  // never destroyed: devices are not, either
    return *loaded;
}

bool Driver::ending() noexcept { return process_ends.load(std::memory_order_acquire); }

DeviceInfo Driver::info(int ordinal) const {
    int device = 0;
    DeviceInfo result;
    result.name = "cuda:" + std::to_string(ordinal);
    if (device_get(&device, ordinal) != success) return result;
    std::array<char, 256> name{};
    if (device_get_name(name.data(), static_cast<int>(name.size()) - 1, device) == success) result.model = name.data();
    if (device_total_mem(&result.memory_bytes, device) != success) result.memory_bytes = 0;
    int major = 0;
    int minor = 0;
    if (device_get_attribute(&major, capability_major, device) == success && device_get_attribute(&minor, capability_minor, device) == success) {
        result.compute_capability = 10 * major + minor;
    }
    return result;
}

int Driver::device_of(const void* address) const {
    constexpr unsigned on_the_host = 1;
    const Address at = reinterpret_cast<std::uintptr_t>(address);
    unsigned type = 0;
    int ordinal = -1;
    if (pointer_get_attribute(&type, memory_type, at) != success || type == on_the_host) return -1;
    return pointer_get_attribute(&ordinal, device_ordinal, at) == success ? ordinal : -1;
}

std::string Driver::text_of(int error) const {
    const char* text = nullptr;
    const char* name = nullptr;
    if (get_error_string(error, &text) != success || text == nullptr) return "error " + std::to_string(error);
    if (get_error_name(error, &name) != success || name == nullptr) return text;
    return std::string(text) + " (" + name + ")";
}

}  // namespace fastnp::cuda
