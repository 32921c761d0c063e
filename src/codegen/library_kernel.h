// Kernels that are written in C++ (cuda/device_functions/kernels) and compiled by the build.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "codegen/device_code.h"
#include "ir/op.h"

namespace fastnp::codegen {

/// One of them.
struct LibraryKernel {
    std::string name;  // "gather_4", "argfold_float32"
    /// What joins two elements, for those that leave it open, of a dtype.
    struct Combine {
        ir::Op op;
        Dtype dtype;
    };
    std::optional<Combine> combine{};

    /// Different for different code.
    std::string key() const { return "library kernel " + name + (combine ? " " + std::to_string(static_cast<int>(combine->op)) : std::string()) + "\n"; }
};

/// Kernels in one text, as Backend::assemble() takes it, where those of one dtype combine in one way. They take the arguments that their source says, each
/// of 8 bytes, and have blocks of kernel_threads threads.
DeviceText library_text(std::span<const LibraryKernel> kernels, device::Backend::Code code, int capability);

/// As number 0 of a module. Thread-safe.
std::shared_ptr<device::Module> compile_for_device(const LibraryKernel& kernel, device::Backend& backend);

}  // namespace fastnp::codegen
