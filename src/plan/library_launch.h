// Launches of the kernels that are written in C++ (cuda/device_functions/kernels).
#pragma once

#include <cstdint>

#include "codegen/kernel_threads.h"
#include "codegen/library_kernel.h"
#include "device/backend.h"
#include "fastnp/small_vector.h"

namespace fastnp::plan {

/// What a kernel is given, in order: addresses and numbers.
using LibraryArguments = SmallVector<std::int64_t, 32>;
inline std::int64_t address_of(const void* memory) { return reinterpret_cast<std::intptr_t>(memory); }

/// Numbers of axes, of which a kernel is given `axes`; those that are not there come first.
inline void add_padded(LibraryArguments& arguments, const SmallVector<std::int64_t>& numbers, std::size_t axes, std::int64_t otherwise) {
    for (std::size_t i = numbers.size(); i < axes; ++i) arguments.push_back(otherwise);
    for (const std::int64_t number : numbers) arguments.push_back(number);
}

/// Launches a kernel, compiled when first needed, with as many blocks as `units` of work ask for, of which a block does `units_of_block` at a time; at
/// least one, and no more than keep the device busy.
void launch_library(device::Backend& backend, const codegen::LibraryKernel& kernel, std::int64_t units, std::int64_t units_of_block,
                    LibraryArguments arguments);

}  // namespace fastnp::plan
