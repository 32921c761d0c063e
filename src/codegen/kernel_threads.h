// The kernels that are written in C++ (cuda/device_functions/kernels), as both sides know them.
#pragma once

namespace fastnp::codegen {

/// Threads of each of their blocks.
inline constexpr int kernel_threads = 256;
/// Axes that the ones over strided arrays walk; arrays with more are copied first.
inline constexpr int kernel_axes = 4;

}  // namespace fastnp::codegen
