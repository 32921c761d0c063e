// The way of jit.cpp and object.cpp, for devices: the kernels of a plan are a module for each thread that can make one.
#include "codegen/device_code.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "base/fork.h"
#include "base/thread_pool.h"
#include "codegen/distinct.h"
#include "codegen/grid.h"
#include "codegen/library_kernel.h"
#include "codegen/nvptx.h"
#include "codegen/planted.h"
#include "codegen/source_lines.h"
#include "codegen/stopwatch.h"
#include "codegen/stored_code.h"
#include "fastnp/detail/log.h"
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
        const auto is_gone = [](const std::weak_ptr<device::Module>& module) { return module.expired(); };
        std::erase_if(held_, [&](const auto& each) { return std::ranges::any_of(each.second, is_gone); });
        held_[key].assign(modules.begin(), modules.end());
    }

private:
    std::mutex mutex_;
    std::unordered_map<std::string, std::vector<std::weak_ptr<device::Module>>> held_;
};

ModuleCache& module_cache() {
    return base::made_once([] { return std::make_unique<ModuleCache>(); });  // plans may outlive every static
}

// What an image can be used for.
std::string target_of(const device::Backend& backend) {
    const char* code = backend.code() == device::Backend::Code::ptx ? "ptx" : "llvm";
    return std::string("device ") + code + " " + std::to_string(backend.capability()) + " " + backend.version() + "\n";
}

// Kernels are dealt to so many parts in turn, so what is where follows from how many there are; like ones often come one after the other.
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

// A part of the kernels, which one thread writes and assembles.
struct Part {
    DeviceText text;
    std::string image;
    double write_ms = 0, assemble_ms = 0;
};

template <class Write>
std::vector<Part> make_parts(std::size_t count, device::Backend& backend, Write write) {
    std::vector<Part> parts(count);
    auto make = [&](std::size_t number) {
        Part& part = parts[number];
        Stopwatch clock;
        part.text = write(count, number);
        part.write_ms = clock.lap("write");
        part.image = backend.assemble(part.text.text);
        part.assemble_ms = clock.lap("assemble");
    };
    const auto one = [](void* context, std::int64_t number, int) { (*static_cast<decltype(make)*>(context))(static_cast<std::size_t>(number)); };
    base::parallel_for(static_cast<std::int64_t>(count), one, &make, base::Tasks::of_any_length);
    return parts;
}

// Code of a device by what it depends on: that is in use, or kept on disk, or written now, `write(parts, part)` giving the text of each part.
template <class Write>
Modules find_or_make(const std::string& depends, std::size_t kernels, device::Backend& backend, DeviceCode& code, Write write) {
    const std::string held = std::to_string(reinterpret_cast<std::uintptr_t>(&backend)) + "\n" + depends;
    if (Modules modules = module_cache().find(held); !modules.empty()) return modules;
    Stopwatch clock;
    const std::string key = target_of(backend) + depends;
    const std::optional<StoredCode> stored = load_code(key);
    code.fetch_ms = clock.lap("fetch");
    Modules modules = stored ? load_kept(*stored, kernels, backend) : Modules();
    code.load_ms = clock.lap("load");
    if (modules.empty()) {
        const std::vector<Part> parts = make_parts(std::min(kernels, static_cast<std::size_t>(base::thread_count())), backend, write);
        StoredCode made;
        for (const Part& part : parts) {
            if (detail::tells(detail::Channel::ptx)) detail::tell(detail::Channel::ptx, "\n" + part.text.text);
            made.objects.push_back(part.image);
            code.write_ms = std::max(code.write_ms, part.write_ms);
            code.assemble_ms = std::max(code.assemble_ms, part.assemble_ms);
        }
        for (std::size_t i = 0; i < kernels; ++i) made.symbols.push_back(parts[i % parts.size()].text.symbols[i / parts.size()]);
        clock.lap();
        modules = load(made, backend);
        code.load_ms = clock.lap("load");
        store_code(key, made);
        code.store_ms = clock.lap("store");
    }
    module_cache().insert(held, modules);
    return modules;
}

}  // namespace

namespace {

// Kernels in a module for GPUs. Gives their symbols.
std::vector<std::string> emit_all(std::span<const DeviceJob> jobs, llvm::Module& module) {
    set_nvptx_target(module);
    std::vector<std::string> symbols;
    for (const DeviceJob& job : jobs) {
        symbols.push_back(kernel_symbol(*job.kernel, symbols.size()));
        emit_grid(*job.kernel, *job.grid, module, symbols.back());
        if (job.kernel->ops.size() > 1) plant(*module.getFunction(symbols.back()), "device");
    }
#ifndef NDEBUG
    std::string problem;
    llvm::raw_string_ostream stream(problem);
    if (llvm::verifyModule(module, &stream)) throw InternalError("malformed LLVM IR: " + problem);
#endif
    return symbols;
}

}  // namespace

DeviceText device_text(std::span<const DeviceJob> jobs, device::Backend::Code code, int capability) {
    llvm::LLVMContext context;
    llvm::Module module("fastnp", context);
    DeviceText made;
    made.symbols = emit_all(jobs, module);
    made.text = to_text(module, code, capability);
    return made;
}

DeviceStages device_stages(std::span<const DeviceJob> jobs, int capability) {
    llvm::LLVMContext context;
    llvm::Module module("fastnp", context);
    (void)emit_all(jobs, module);
    DeviceStages made;
    made.emitted = to_text(module, device::Backend::Code::llvm, capability);
    made.ptx = to_ptx(module, capability);
    made.optimised = to_text(module, device::Backend::Code::llvm, capability);
    return made;
}

DeviceCode compile_for_device(std::span<const DeviceJob> jobs, device::Backend& backend) {
    Distinct<DeviceJob> kernels = distinct(jobs, [](const DeviceJob& job) { return nest::fingerprint(*job.kernel, *job.grid) + told_by(*job.kernel); });
    DeviceCode code;
    if (jobs.empty()) return code;
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
