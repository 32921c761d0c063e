// The threads of a GPU that the host plays: a grid of blocks, run thread by thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace fastnp::simulated {

/// A kernel as the host's machine code.
struct Kernel {
    void (*call)(const std::uint64_t* arguments) = nullptr;  // by one thread
    std::size_t arguments = 0;
    int threads = 0;     // of a block
    bool waits = false;  // its threads exchange values, or meet at barriers
};

/// Runs a kernel. Threads of a block run until they must wait, warp by warp in random order, so one that should have waited sees memory as it must not be.
/// False if they wait for what never comes. Grids of several callers run one after the other.
bool run_grid(const Kernel& kernel, const std::uint64_t* arguments, std::int64_t blocks);

/// What kernels call in the place of a GPU's instructions, by the names of LLVM's intrinsics.
const std::map<std::string, void*>& instructions();
/// Whether an instruction is one of those that threads wait at.
bool is_waited_at(const std::string& intrinsic);

}  // namespace fastnp::simulated
