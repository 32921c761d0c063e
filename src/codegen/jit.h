// Kernels as machine code of this process.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ir/program.h"
#include "nest/kernel.h"

namespace fastnp::codegen {

/// A kernel's code: outer points [begin, end). See emit().
using KernelFunction = void (*)(void* const* pointers, const std::int64_t* sizes, std::int64_t begin, std::int64_t end, void* scratch);

/// What LLVM does for speed: its passes, or none of them. The emitter writes vectors either way.
enum class Effort : std::uint8_t { full, none };

struct Job {
    const nest::Kernel* kernel;
    const nest::Schedule* schedule;
};

/// Machine code of several kernels; freed when the last owner lets go.
struct Code {
    std::vector<KernelFunction> functions;  // per job
    std::shared_ptr<void> owner;
    double load_ms = 0, emit_ms = 0, optimize_ms = 0, generate_ms = 0, link_ms = 0, store_ms = 0;
};

/// Compiles kernels for the host, or finds the code of equal ones that is in use or on disk (see store.h). Thread-safe.
Code compile(std::span<const Job> jobs, Effort effort = Effort::full);

/// A program over numbers for the host. Its function takes the arrays' first bytes, the inputs, and
/// room for `Program::words()` words, of which the first one says which exit it took.
Code compile(const ir::Program& program);

/// The same kernels as text: LLVM IR, and assembly.
enum class Stage : std::uint8_t { emitted, optimised };  // before and after LLVM's passes
std::string llvm_text(std::span<const Job> jobs, Effort effort = Effort::full, Stage stage = Stage::optimised);
std::string assembly_text(std::span<const Job> jobs, Effort effort = Effort::full);
std::string llvm_text(const ir::Program& program);

/// "znver5, 512-bit vectors".
std::string host_text();

}  // namespace fastnp::codegen
