#include "plan/library_launch.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace fastnp::plan {

namespace {

constexpr std::int64_t rounds = 32;  // as for the kernels of plans

const device::Module& module_of(device::Backend& backend, const codegen::LibraryKernel& kernel) {
    using Made = std::map<std::pair<device::Backend*, std::string>, std::shared_ptr<device::Module>>;
    static std::mutex mutex;
    static auto* const made = new Made;  // never destroyed, as devices
    const std::scoped_lock lock(mutex);
    device::Backend& device = backend.itself();
    std::shared_ptr<device::Module>& found = (*made)[{&device, kernel.key()}];
    if (found == nullptr) found = codegen::compile_for_device(kernel, device);
    return *found;
}

}  // namespace

void launch_library(device::Backend& backend, const codegen::LibraryKernel& kernel, std::int64_t units, std::int64_t units_of_block,
                    LibraryArguments arguments) {
    const device::Module& module = module_of(backend, kernel);
    const std::int64_t most = rounds * backend.blocks_at_once(codegen::kernel_threads);
    SmallVector<void*, 32> addresses;
    for (std::int64_t& each : arguments) addresses.push_back(&each);
    const std::int64_t blocks = std::clamp<std::int64_t>((units + units_of_block - 1) / units_of_block, 1, most);
    backend.launch(module, 0, blocks, codegen::kernel_threads, {addresses.data(), addresses.size()});
}

}  // namespace fastnp::plan
