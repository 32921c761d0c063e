// Kernels of plans, launched: by the calling thread, or in tasks on the pool.
#pragma once

#include <span>

#include "plan/plan.h"

namespace fastnp::plan {

/// In the units of Schedule::cost, about 0.1 ns each: below it a kernel is run by the calling thread.
inline constexpr std::int64_t parallel_cost = 200'000;

inline std::int64_t value_of(shape::Dim dim, const std::int64_t* values) { return dim.is_constant() ? dim.value() : values[dim.id()]; }

/// Bytes of scratch memory that a thread needs for a kernel.
std::size_t scratch_bytes(const KernelStep& step, const std::int64_t* values);

/// Units [begin, end) on this thread. `pointers`: where each buffer begins.
void run_units(const KernelStep& step, void* const* pointers, const std::int64_t* values, std::int64_t begin, std::int64_t end, std::size_t scratch);

/// All units.
void launch(const KernelStep& step, void* const* pointers, const std::int64_t* values);

/// Blocks of a grid for so many units, at least one of them.
std::int64_t blocks_for(device::Backend& backend, const nest::Grid& grid, std::int64_t units);

/// All units of a kernel on a device. `arguments`: as codegen::emit_grid() says, the units last.
void launch(device::Backend& backend, const device::Module& module, std::size_t kernel, const nest::Grid& grid, std::int64_t units,
            std::span<void* const> arguments);

}  // namespace fastnp::plan
