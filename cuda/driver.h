// The CUDA driver, found when first asked for: the library loads and runs where there is none. No header of the toolkit is used, so that it builds
// everywhere too; the driver's C interface is stable.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "fastnp/device.h"

namespace fastnp::cuda {

using Handle = void*;
using Address = unsigned long long;

/// Results of the driver that are told apart.
enum Result : int {
    success = 0,
    out_of_memory = 2,
    not_initialized = 3,
};

/// Attributes of devices.
enum Attribute : int {
    multiprocessors = 16,
    threads_per_multiprocessor = 39,
    capability_major = 75,
    capability_minor = 76,
    blocks_per_multiprocessor = 106,
};

/// Attributes of addresses.
enum AddressAttribute : int {
    memory_type = 2,  // 1 is the host's
    device_ordinal = 9,
};

/// CUlaunchAttribute.
struct LaunchAttribute {
    static constexpr int may_overlap = 6;  // CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, whose value is a bool
    int id = 0;
    alignas(8) std::array<int, 16> value{};
};

/// CUlaunchConfig.
struct LaunchSettings {
    unsigned blocks_x = 1, blocks_y = 1, blocks_z = 1;
    unsigned threads_x = 1, threads_y = 1, threads_z = 1;
    unsigned shared_bytes = 0;
    Handle stream = nullptr;
    const LaunchAttribute* attributes = nullptr;
    unsigned attribute_count = 0;
};

/// CUDA_KERNEL_NODE_PARAMS_v2: a kernel's launch as a node of a graph.
struct KernelNode {
    Handle function = nullptr;
    unsigned blocks_x = 1, blocks_y = 1, blocks_z = 1;
    unsigned threads_x = 1, threads_y = 1, threads_z = 1;
    unsigned shared_bytes = 0;
    void** arguments = nullptr;
    void** extra = nullptr;
    Handle kernel = nullptr, context = nullptr;  // not where there is a function
};

/// CUgraphEdgeData.
struct GraphEdge {
    static constexpr unsigned char programmatic = 1;  // the port of kernels that say when the next one may begin, and the type of edges from it
    unsigned char from_port = 0, to_port = 0, type = 0;
    unsigned char reserved[5] = {};
};

/// CUDA_MEMCPY3D, of which bytes in one piece are a row: a copy as a node of a graph.
struct CopyNode {
    static constexpr int on_device = 2;
    struct Side {
        std::size_t x = 0, y = 0, z = 0, level = 0;
        int kind = on_device;
        void* host = nullptr;
        Address address = 0;
        Handle array = nullptr, reserved = nullptr;
        std::size_t pitch = 0, height = 0;
    };
    Side from, to;
    std::size_t bytes = 0, rows = 1, planes = 1;
};

/// CUDA_MEMSET_NODE_PARAMS.
struct ClearNode {
    Address to = 0;
    std::size_t pitch = 0;
    unsigned value = 0, element_bytes = 1;
    std::size_t elements = 0, rows = 1;
};

/// The functions of libcuda.so.1 that are used. Tests fill the table with functions of their own.
struct Driver {
#define FUNCTION(name, symbol, parameters) int(*name) parameters = nullptr;
#define RECENT(name, symbol, parameters) FUNCTION(name, symbol, parameters)
#include "driver.def"
#undef RECENT
#undef FUNCTION

    int devices = 0;
    std::string problem;  // why no device can be used, in one line; empty otherwise

    /// The driver of this process, loaded and initialised by the first call; never unloaded.
    static const Driver& get();
    /// Whether the process is ending: statics that are destroyed now must not call the driver, which may be gone.
    static bool ending() noexcept;

    /// "cuda:<ordinal>".
    DeviceInfo info(int ordinal) const;
    /// The device that an address is on; negative for the host's, and for ones that the driver does not know.
    int device_of(const void* address) const;
    /// An error in words: "out of memory (CUDA_ERROR_OUT_OF_MEMORY)".
    std::string text_of(int error) const;
};

}  // namespace fastnp::cuda
