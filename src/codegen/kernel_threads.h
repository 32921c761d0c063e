// The kernels that are written in C++ (cuda/device_functions/kernels), as both sides know them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fastnp::codegen {

/// Threads of each of their blocks.
inline constexpr int kernel_threads = 256;
/// Axes that the ones over strided arrays walk; arrays with more are copied first.
inline constexpr int kernel_axes = 4;
/// Elements of a line that a thread takes at a time; a block has a tile of them.
inline constexpr std::int64_t sort_each = 4, mask_each = 8;
inline constexpr std::int64_t sort_tile = kernel_threads * sort_each, mask_tile = kernel_threads * mask_each;
/// Of a running fold: elements that a thread has one behind the other (a vector), rows of them that a warp has, and the elements of a warp and of a block.
constexpr int scan_lanes(std::size_t itemsize) { return static_cast<int>(16 / itemsize); }
constexpr int scan_rows(std::size_t itemsize) { return itemsize < 4 ? static_cast<int>(itemsize) : 4; }
constexpr std::int64_t scan_of_warp(std::size_t itemsize) { return std::int64_t{32} * scan_lanes(itemsize) * scan_rows(itemsize); }
constexpr std::int64_t scan_tile(std::size_t itemsize) { return kernel_threads / 32 * scan_of_warp(itemsize); }
/// Blocks that one of the GPU's processors is to have room for: while some wait for others, the rest keep memory busy.
inline constexpr int scan_blocks = 4;
/// Elements that a thread finds its place for at a time, and the bytes of those that a block looks at first.
inline constexpr std::int64_t search_each = 4, search_tile = kernel_threads * search_each, search_bytes = 8192;
/// Of a radix sort: bits of keys that a pass sorts by, one of their values a thread; and the elements of a thread and of a block at a time.
inline constexpr int radix_bits = 8, radix_bins = 1 << radix_bits;
static_assert(radix_bins == kernel_threads);
constexpr std::int64_t radix_each(std::size_t itemsize) { return itemsize > 4 ? 14 : 18; }  // what registers are enough for
constexpr std::int64_t radix_tile(std::size_t itemsize) { return kernel_threads * radix_each(itemsize); }
/// Blocks that one of the GPU's processors is to have room for, so threads have few registers: a pass waits for memory and for other blocks.
inline constexpr int radix_blocks = 3;

/// Of the selection of elements by their places in sorted order: bits of keys that are found at a time, and elements that are wanted of a line at most.
inline constexpr int select_step = 11, select_bins = 1 << select_step, most_selected = 2;

/// How whole numbers in memory are joined to others, in any order; and how many of them a block has room for in the memory that it shares.
enum class Join : std::int64_t { add, subtract, maximum, minimum, bitwise_and, bitwise_or, bitwise_xor };
inline constexpr std::int64_t shared_sums = 2048;
/// The bytes that a block has for sums of inexact dtypes by few rows, of which each of its warps at work has its own.
inline constexpr std::int64_t few_bytes = 48 * 1024;

}  // namespace fastnp::codegen
