// The way of jit.cpp and object.cpp, for devices: all kernels of a plan are one module, since a device's assembler and loader take their time for each.
#include "codegen/device_code.h"

#include <mutex>
#include <optional>
#include <unordered_map>

#include "codegen/distinct.h"
#include "codegen/grid.h"
#include "codegen/library_kernel.h"
#include "codegen/nvptx.h"
#include "codegen/stopwatch.h"
#include "codegen/stored_code.h"
#include "fastnp/error.h"

namespace fastnp::codegen {

namespace {

// Modules in use, by their device and their kernels' fingerprints. Functions that do the same share them.
class ModuleCache {
public:
    std::shared_ptr<device::Module> find(const std::string& key) {
        const std::scoped_lock lock(mutex_);
        const auto found = held_.find(key);
        return found == held_.end() ? nullptr : found->second.lock();
    }
    void insert(const std::string& key, const std::shared_ptr<device::Module>& module) {
        const std::scoped_lock lock(mutex_);
        std::erase_if(held_, [](const auto& each) { return each.second.expired(); });
        held_[key] = module;
    }

private:
    std::mutex mutex_;
    std::unordered_map<std::string, std::weak_ptr<device::Module>> held_;
};

ModuleCache& module_cache() {
    static ModuleCache* made = new ModuleCache;  // never destroyed: plans may outlive every static
    return *made;
}

// What an image can be used for.
std::string target_of(const device::Backend& backend) {
    const char* code = backend.code() == device::Backend::Code::ptx ? "ptx" : "llvm";
    return std::string("device ") + code + " " + std::to_string(backend.capability()) + " " + backend.version() + "\n";
}

// Loads an image that was kept; null if the device does not take it.
std::shared_ptr<device::Module> load_kept(const StoredCode& stored, std::size_t count, device::Backend& backend) {
    if (stored.symbols.size() != count || stored.objects.size() != 1) return nullptr;
    try {
        return backend.load(stored.objects[0], stored.symbols);
    } catch (const DeviceError&) {
        return nullptr;  // it is made anew, and what is wrong then is raised
    }
}

// Code of a device by what it depends on: that is in use, or kept on disk, or written now.
template <class Write>
std::shared_ptr<device::Module> find_or_make(const std::string& depends, std::size_t kernels, device::Backend& backend, DeviceCode& code, Write write) {
    const std::string held = std::to_string(reinterpret_cast<std::uintptr_t>(&backend)) + "\n" + depends;
    if (auto module = module_cache().find(held)) return module;
    Stopwatch clock;
    const std::string key = target_of(backend) + depends;
    const std::optional<StoredCode> stored = load_code(key);
    code.fetch_ms = clock.lap();
    std::shared_ptr<device::Module> module = stored ? load_kept(*stored, kernels, backend) : nullptr;
    code.load_ms = clock.lap();
    if (module == nullptr) {
        DeviceText written = write();
        code.write_ms = clock.lap();
        const StoredCode made{std::move(written.symbols), {}, {backend.assemble(written.text)}};
        code.assemble_ms = clock.lap();
        module = backend.load(made.objects[0], made.symbols);
        code.load_ms = clock.lap();
        store_code(key, made);
        code.store_ms = clock.lap();
    }
    module_cache().insert(held, module);
    return module;
}

}  // namespace

DeviceText device_text(std::span<const DeviceJob> jobs, device::Backend::Code code, int capability) {
    llvm::LLVMContext context;
    llvm::Module module("fastnp", context);
    set_nvptx_target(module);
    DeviceText made;
    for (const DeviceJob& job : jobs) {
        made.symbols.push_back("fastnp_" + job.kernel->name + "_" + std::to_string(made.symbols.size()));
        emit_grid(*job.kernel, *job.grid, module, made.symbols.back());
    }
#ifndef NDEBUG
    std::string problem;
    llvm::raw_string_ostream stream(problem);
    if (llvm::verifyModule(module, &stream)) throw InternalError("malformed LLVM IR: " + problem);
#endif
    made.text = to_text(module, code, capability);
    return made;
}

DeviceCode compile_for_device(std::span<const DeviceJob> jobs, device::Backend& backend) {
    Distinct<DeviceJob> kernels = distinct(jobs, [](const DeviceJob& job) { return nest::fingerprint(*job.kernel, *job.grid); });
    DeviceCode code;
    code.module =
        find_or_make(kernels.key, kernels.jobs.size(), backend, code, [&] { return device_text(kernels.jobs, backend.code(), backend.capability()); });
    code.kernels = std::move(kernels.number);
    return code;
}

std::shared_ptr<device::Module> compile_for_device(const LibraryKernel& kernel, device::Backend& backend) {
    DeviceCode code;
    return find_or_make(kernel.key(), 1, backend, code, [&] { return library_text({&kernel, 1}, backend.code(), backend.capability()); });
}

}  // namespace fastnp::codegen
