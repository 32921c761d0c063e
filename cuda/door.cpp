// Tells the rest of the library of the CUDA devices; nothing includes what is in this folder.
//
//   FASTNP_CUDA_MEMORY_LIMIT    mebibytes that fastnp takes at most of each device
#include <cstdlib>
#include <map>
#include <mutex>

#include "device.h"
#include "device/registry.h"
#include "driver.h"

namespace fastnp::cuda {

namespace {

device::Listing make_listing() {
    const Driver& driver = Driver::get();
    device::Listing listing{{}, driver.problem};
    for (int i = 0; i < driver.devices; ++i) listing.devices.push_back(driver.info(i));
    return listing;
}

device::Listing list() {
    static const device::Listing* const made = new device::Listing(make_listing());  // never destroyed, as the driver's table
    return *made;
}

// Never destroyed: arrays may outlive every static.
device::Backend& open(int number) {
    static std::mutex mutex;
    static auto* const devices = new std::map<int, Device*>;
    const std::scoped_lock lock(mutex);
    Device*& device = (*devices)[number];
    if (device == nullptr)
        device = new Device(Driver::get(), number, memory_limit(std::getenv("FASTNP_CUDA_MEMORY_LIMIT")));  // NOLINT: as it is at the first use
    return *device;
}

int find(const void* address) { return list().devices.empty() ? -1 : Driver::get().device_of(address); }

std::vector<DeviceLibrary> libraries() {
    const Driver& driver = Driver::get();
    if (driver.devices == 0) return {{"cuBLAS", "", driver.problem}, {"cuFFT", "", driver.problem}, {"cuSOLVER", "", driver.problem}};
    const Blas& blas = Blas::get(driver);
    const Fft& fft = Fft::get(driver);
    // Factors take both: triangular systems are cuBLAS's own interface's, beside cuBLASLt.
    const Solver& solver = Solver::get(driver);
    const std::string& missing = solver.problem.empty() ? Cublas::get(driver).problem : solver.problem;
    return {{"cuBLAS", blas.path, blas.problem}, {"cuFFT", fft.path, fft.problem}, {"cuSOLVER", missing.empty() ? solver.path : "", missing}};
}

[[maybe_unused]] const device::Door before = device::register_cuda({&list, &open, &find, &libraries});

}  // namespace

}  // namespace fastnp::cuda
