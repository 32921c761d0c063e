// The threads of a GPU that the host plays: a grid of blocks, run thread by thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace fastnp::simulated {

/// A kernel as the host's machine code.
struct Kernel {
    std::string name;
    void (*call)(const std::uint64_t* arguments) = nullptr;  // by one thread
    std::size_t arguments = 0;
    int threads = 0;     // of a block
    bool waits = false;  // its threads exchange values, or meet at barriers
};

/// Runs a kernel; what it did wrong, or nothing: threads wait for what never comes, or touch memory without having met (see Accesses). Threads of a block
/// run until they must wait, warp by warp in random order, so one that should have waited sees memory as it must not be. Grids of several callers run one
/// after the other.
std::string run_grid(const Kernel& kernel, const std::uint64_t* arguments, std::int64_t blocks);

/// What kernels call in the place of a GPU's instructions, by the names of LLVM's intrinsics.
const std::map<std::string, void*>& instructions();
/// The memory that blocks have on the chip, one after the other: where what a kernel has there may lie.
std::span<char> memory_on_chip();
/// Called before each access of memory with its address, that of what it stores (null if it does not), its bytes, and what it does.
inline constexpr const char* access_note = "simulated.access";
inline constexpr std::uint32_t access_reads = 1, access_writes = 2, access_is_atomic = 4;
/// Whether an instruction is one of those that threads wait at.
bool is_waited_at(const std::string& intrinsic);

}  // namespace fastnp::simulated
