// The way of jit.cpp and object.cpp, for devices: the kernels of a plan are a module for each thread that can make one.
#include "codegen/device_code.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "base/thread_pool.h"
#include "codegen/distinct.h"
#include "codegen/grid.h"
#include "codegen/library_kernel.h"
#include "codegen/nvptx.h"
#include "codegen/stopwatch.h"
#include "codegen/stored_code.h"
#include "fastnp/error.h"

namespace fastnp::codegen {

namespace {

using Modules = std::vector<std::shared_ptr<device::Module>>;

// Modules in use, by their device and their kernels' fingerprints. Functions that do the same share them.
class ModuleCache {
public:
    // None, unless all are there.
    Modules find(const std::string& key) {
        const std::scoped_lock lock(mutex_);
        Modules modules;
        const auto found = held_.find(key);
        if (found == held_.end()) return modules;
        for (const auto& each : found->second) modules.push_back(each.lock());
        if (std::ranges::find(modules, nullptr) != modules.end()) modules.clear();
        return modules;
    }
    void insert(const std::string& key, const Modules& modules) {
        const std::scoped_lock lock(mutex_);
        std::erase_if(held_, [](const auto& each) { return each.second.front().expired(); });
        held_[key].assign(modules.begin(), modules.end());
    }

private:
    std::mutex mutex_;
    std::unordered_map<std::string, std::vector<std::weak_ptr<device::Module>>> held_;
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

// Kernels are dealt to so many parts in turn: equal work comes one after the other in what was unrolled.
template <class T>
std::vector<T> dealt(std::span<const T> all, std::size_t parts, std::size_t part) {
    std::vector<T> own;
    for (std::size_t i = part; i < all.size(); i += parts) own.push_back(all[i]);
    return own;
}

Modules load(const StoredCode& code, device::Backend& backend) {
    Modules modules;
    const std::size_t parts = code.objects.size();
    for (std::size_t part = 0; part < parts; ++part) {
        modules.push_back(backend.load(code.objects[part], dealt(std::span<const std::string>(code.symbols), parts, part)));
    }
    return modules;
}

// Loads what was kept; nothing if the device does not take it.
Modules load_kept(const StoredCode& stored, std::size_t count, device::Backend& backend) {
    if (stored.symbols.size() != count || stored.objects.empty() || stored.objects.size() > count) return {};
    try {
        return load(stored, backend);
    } catch (const DeviceError&) {
        return {};  // it is made anew, and what is wrong then is raised
    }
}

// As many texts as there are parts, one after the other by this thread or side by side by several.
template <class Make>
void for_each_part(std::size_t parts, Make make) {
    const auto one = [](void* context, std::int64_t part, int) { (*static_cast<Make*>(context))(static_cast<std::size_t>(part)); };
    base::parallel_for(static_cast<std::int64_t>(parts), one, &make);
}

// Code of a device by what it depends on: that is in use, or kept on disk, or written now, `write(parts, part)` giving the text of each part.
template <class Write>
Modules find_or_make(const std::string& depends, std::size_t kernels, device::Backend& backend, DeviceCode& code, Write write) {
    const std::string held = std::to_string(reinterpret_cast<std::uintptr_t>(&backend)) + "\n" + depends;
    if (Modules modules = module_cache().find(held); !modules.empty()) return modules;
    Stopwatch clock;
    const std::string key = target_of(backend) + depends;
    const std::optional<StoredCode> stored = load_code(key);
    code.fetch_ms = clock.lap();
    Modules modules = stored ? load_kept(*stored, kernels, backend) : Modules();
    code.load_ms = clock.lap();
    if (modules.empty()) {
        const std::size_t parts = std::min(kernels, static_cast<std::size_t>(base::thread_count()));
        std::vector<DeviceText> written(parts);
        for_each_part(parts, [&](std::size_t part) { written[part] = write(parts, part); });
        code.write_ms = clock.lap();
        StoredCode made;
        made.objects.resize(parts);
        for_each_part(parts, [&](std::size_t part) { made.objects[part] = backend.assemble(written[part].text); });
        code.assemble_ms = clock.lap();
        for (std::size_t i = 0; i < kernels; ++i) made.symbols.push_back(written[i % parts].symbols[i / parts]);
        modules = load(made, backend);
        code.load_ms = clock.lap();
        store_code(key, made);
        code.store_ms = clock.lap();
    }
    module_cache().insert(held, modules);
    return modules;
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
    const Modules modules = find_or_make(kernels.key, kernels.jobs.size(), backend, code, [&](std::size_t parts, std::size_t part) {
        return device_text(dealt(std::span<const DeviceJob>(kernels.jobs), parts, part), backend.code(), backend.capability());
    });
    for (const std::size_t number : kernels.number) code.kernels.push_back({modules[number % modules.size()], number / modules.size()});
    return code;
}

std::shared_ptr<device::Module> compile_for_device(const LibraryKernel& kernel, device::Backend& backend) {
    DeviceCode code;
    const auto write = [&](std::size_t, std::size_t) { return library_text({&kernel, 1}, backend.code(), backend.capability()); };
    return find_or_make(kernel.key(), 1, backend, code, write).front();
}

}  // namespace fastnp::codegen
