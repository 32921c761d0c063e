// A GPU that the host plays: kernels for GPUs are run thread by thread, so that what they compute can be compared without one.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "codegen/grid.h"

namespace fastnp {

/// A kernel as the host's machine code. What it asks of a GPU is played: threads' numbers, exchanges within a warp, barriers. Device functions are the
/// host's. Threads of a block run until they must wait, warp by warp in random order, so one that should have waited sees memory as it must not be;
/// threads that wait for what never comes are an error.
class SimulatedKernel {
public:
    SimulatedKernel(const nest::Kernel& kernel, const nest::Grid& grid);
    ~SimulatedKernel();
    SimulatedKernel(const SimulatedKernel&) = delete;
    SimulatedKernel& operator=(const SimulatedKernel&) = delete;

    /// `arguments`: see emit_grid(). False if its threads wait for each other for ever.
    bool run(const std::vector<std::uint64_t>& arguments, int blocks) const;

private:
    struct Code;
    std::unique_ptr<Code> code_;
    int threads_;
};

}  // namespace fastnp
