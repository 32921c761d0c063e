// Code for GPUs as machine code of the host.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "simulated/grid.h"

namespace fastnp::simulated {

/// Kernels of a text of LLVM IR (see codegen::device_text), translated cheaply. What they ask of a GPU is played by run_grid(); device functions are the
/// host's. DeviceError: the text is not right. Freed with its last copy.
class Program {
public:
    Program(const std::string& text, const std::vector<std::string>& symbols);

    std::size_t size() const { return kernels_.size(); }
    const Kernel& kernel(std::size_t number) const { return kernels_.at(number); }

private:
    std::vector<Kernel> kernels_;
    std::shared_ptr<void> code_;
};

}  // namespace fastnp::simulated
