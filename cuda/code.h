// Code for a device: PTX to machine code by the driver's own assembler, machine code to kernels.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "context.h"
#include "device/backend.h"

namespace fastnp::cuda {

/// Machine code for the context's device. DeviceError with what the assembler says.
std::string assemble(Context& context, const std::string& ptx);

/// Kernels in a context.
class LoadedModule final : public device::Module {
public:
    /// Of machine code, or of PTX. DeviceError if it can't be loaded, or has no kernel of such a name.
    LoadedModule(std::shared_ptr<Context> context, const std::string& image, const std::vector<std::string>& symbols);
    ~LoadedModule() override;

    const Context& context() const { return *context_; }
    /// Of a kernel; it lives as long as the context.
    const std::string* name(std::size_t kernel) const { return names_[kernel]; }
    Handle function(std::size_t kernel) const { return functions_[kernel]; }
    std::size_t count() const { return functions_.size(); }

private:
    const std::shared_ptr<Context> context_;
    std::vector<const std::string*> names_;
    std::vector<Handle> functions_;
    Handle module_ = nullptr;
};

}  // namespace fastnp::cuda
