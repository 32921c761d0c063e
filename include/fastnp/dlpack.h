// The structures of DLPack 1.1 (https://dmlc.github.io/dlpack), under fastnp's own names so that they can stand beside the original header. Layouts
// are those of the C interface: pointers to the original's structures may be cast to these and back.
#pragma once

#include <cstdint>

namespace fastnp::dlpack {

struct Device {
    std::int32_t device_type;  // 1 CPU, 2 CUDA, 3 CUDA host, 13 CUDA managed
    std::int32_t device_id;
};
inline constexpr std::int32_t cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13;

/// Streams of CUDA by their numbers in DLPack; others are handles.
inline constexpr std::int64_t no_stream = -1, default_stream = 1;

/// codes: 0 int, 1 uint, 2 float, 4 bfloat, 5 complex, 6 bool
struct DataType {
    std::uint8_t code;
    std::uint8_t bits;
    std::uint16_t lanes;
};

struct Tensor {
    void* data;
    Device device;
    std::int32_t ndim;
    DataType dtype;
    std::int64_t* shape;
    std::int64_t* strides;  // in elements; null: C order
    std::uint64_t byte_offset;
};

/// DLManagedTensor
struct ManagedTensor {
    Tensor dl_tensor;
    void* manager_ctx;
    void (*deleter)(ManagedTensor* self);
};

struct PackVersion {
    std::uint32_t major;
    std::uint32_t minor;
};

inline constexpr std::uint64_t flag_read_only = 1;
inline constexpr std::uint64_t flag_is_copied = 2;

/// DLManagedTensorVersioned
struct ManagedTensorVersioned {
    PackVersion version;
    void* manager_ctx;
    void (*deleter)(ManagedTensorVersioned* self);
    std::uint64_t flags;
    Tensor dl_tensor;
};

}  // namespace fastnp::dlpack
