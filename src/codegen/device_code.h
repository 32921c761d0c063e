// Kernels as code of a device: written, assembled and loaded, or found again.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/backend.h"
#include "nest/grid.h"

namespace fastnp::codegen {

struct DeviceJob {
    const nest::Kernel* kernel;
    const nest::Grid* grid;
};

/// Kernels in one text, as Backend::assemble() takes it: PTX for devices of a compute capability, or LLVM IR.
struct DeviceText {
    std::string text;
    std::vector<std::string> symbols;  // per job
};
DeviceText device_text(std::span<const DeviceJob> jobs, device::Backend::Code code, int capability);

/// The same on its way: LLVM IR as it is written, and after LLVM's passes, and PTX.
struct DeviceStages {
    std::string emitted, optimised, ptx;
};
DeviceStages device_stages(std::span<const DeviceJob> jobs, int capability);

/// A kernel that a device can run, as Backend::launch() knows it. What it takes as arguments says emit_grid().
struct DeviceFunction {
    std::shared_ptr<device::Module> module;
    std::size_t number = 0;  // in the module
};

struct DeviceCode {
    std::vector<DeviceFunction> kernels;  // per job
    double fetch_ms = 0, write_ms = 0, assemble_ms = 0, load_ms = 0, store_ms = 0;
};

/// Compiles kernels for a device, equal ones once, or finds the code of equal ones that is in use there or on disk (see store.h). Several threads write
/// and assemble a part of them each: a device's assembler takes most of the time, some 50 ms a kernel, and works for many at once. Thread-safe.
DeviceCode compile_for_device(std::span<const DeviceJob> jobs, device::Backend& backend);

}  // namespace fastnp::codegen
