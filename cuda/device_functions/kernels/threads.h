// What kernels that are written in C++ have of a GPU: its threads, which are numbered along a grid of blocks, their meeting points, and the memory that a
// block shares. How many threads a block has says kernel_threads.h, for the host too.
#pragma once

#include <cstdint>
#include <type_traits>

#include "codegen/kernel_threads.h"

namespace fastnp::kernels {

constexpr std::int64_t threads = codegen::kernel_threads;

inline std::int64_t thread() { return __nvvm_read_ptx_sreg_tid_x(); }
inline std::int64_t block() { return __nvvm_read_ptx_sreg_ctaid_x(); }
inline std::int64_t blocks() { return __nvvm_read_ptx_sreg_nctaid_x(); }

/// All threads of the block come here before any goes on, and see what the others wrote. Each kernel's own code calls it, under no condition that
/// differs among threads.
[[gnu::always_inline]] inline void barrier() { __syncthreads(); }

/// Neighbouring threads that go on together: a thread's place among those of its warp, and what all of them tell each other.
constexpr int warp = 32;
inline int lane() { return __nvvm_read_ptx_sreg_tid_x() & (warp - 1); }
constexpr std::uint32_t whole_warp = 0xffffffff;

/// For which threads of the warp something is true, the first one's bit the lowest.
[[gnu::always_inline]] inline std::uint32_t ballot(bool is_true) { return __nvvm_vote_ballot_sync(whole_warp, is_true); }
/// The value of the thread that is so many places before; one's own where there is none.
[[gnu::always_inline]] inline std::uint32_t from_before(std::uint32_t value, int places) {
    return static_cast<std::uint32_t>(__nvvm_shfl_sync_up_i32(whole_warp, static_cast<int>(value), places, 0));
}
/// The value of the thread with a number.
[[gnu::always_inline]] inline std::uint32_t of_thread(std::uint32_t value, int number) {
    return static_cast<std::uint32_t>(__nvvm_shfl_sync_idx_i32(whole_warp, static_cast<int>(value), number, warp - 1));
}
/// The threads of the warp see what the others wrote.
[[gnu::always_inline]] inline void warp_barrier() { __nvvm_bar_warp_sync(whole_warp); }

/// The sum of what the block's threads before this one have; `sums`, shared, has a place for each warp.
[[gnu::always_inline]] inline std::uint32_t sum_before(std::uint32_t own, std::uint32_t* sums) {
    constexpr int warps = threads / warp;
    std::uint32_t end = own;
#pragma unroll
    for (int distance = 1; distance < warp; distance *= 2) {
        const std::uint32_t before = from_before(end, distance);
        if (lane() >= distance) end += before;
    }
    const auto own_warp = static_cast<int>(thread() / warp);
    if (lane() == warp - 1) sums[own_warp] = end;
    barrier();
    std::uint32_t sum = end - own;
#pragma unroll
    for (int i = 0; i < warps; ++i) sum += i < own_warp ? sums[i] : 0;
    return sum;
}

/// Calls body(i) for each i below count that is this thread's, of all threads of the grid. No barriers in there.
template <class F>
[[gnu::always_inline]] inline void for_each(std::int64_t count, F body) {
    for (std::int64_t i = block() * threads + thread(); i < count; i += blocks() * threads) body(i);
}

/// Bytes that a block shares, as elements; every use of a name is the same bytes.
#define FASTNP_SHARED(type, name, count)                                                            \
    alignas(16) static char __attribute__((address_space(3))) name##_bytes[sizeof(type) * (count)]; \
    auto* const name = (type*)(char*)(name##_bytes)

/// The address of an element some bytes on. (By way of a pointer: what goes through a number is no longer known to lie in the device's memory.)
template <class T>
[[gnu::always_inline]] inline T* at(T* base, std::int64_t bytes) {
    using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
    return reinterpret_cast<T*>(reinterpret_cast<Byte*>(base) + bytes);
}

}  // namespace fastnp::kernels
