// The structures of DLPack 1.1 (https://dmlc.github.io/dlpack), under fastnp's own names so that they can stand beside the original header. Layouts
// are those of the C interface: pointers to the original's structures may be cast to these and back.
#pragma once

#include <cstdint>

/// The structures of DLPack 1.1.
namespace fastnp::dlpack {

/// \addtogroup interop
/// @{

/// DLDevice
struct Device {
    std::int32_t device_type;  ///< 1 CPU, 2 CUDA, 3 CUDA host, 13 CUDA managed
    std::int32_t device_id;    ///< which of them
};
inline constexpr std::int32_t cpu = 1;            ///< kDLCPU
inline constexpr std::int32_t cuda = 2;           ///< kDLCUDA
inline constexpr std::int32_t cuda_host = 3;      ///< kDLCUDAHost
inline constexpr std::int32_t cuda_managed = 13;  ///< kDLCUDAManaged

inline constexpr std::int64_t no_stream = -1;      ///< nobody waits
inline constexpr std::int64_t default_stream = 1;  ///< CUDA's default stream; others are handles

/// DLDataType
struct DataType {
    std::uint8_t code;    ///< 0 int, 1 uint, 2 float, 4 bfloat, 5 complex, 6 bool
    std::uint8_t bits;    ///< of an element
    std::uint16_t lanes;  ///< 1
};

/// DLTensor
struct Tensor {
    void* data;                 ///< the memory
    Device device;              ///< where it is
    std::int32_t ndim;          ///< how many axes
    DataType dtype;             ///< of the elements
    std::int64_t* shape;        ///< sizes of the axes
    std::int64_t* strides;      ///< in elements; null: C order
    std::uint64_t byte_offset;  ///< of the first element
};

/// DLManagedTensor
struct ManagedTensor {
    Tensor dl_tensor;                      ///< what is shared
    void* manager_ctx;                     ///< the owner's
    void (*deleter)(ManagedTensor* self);  ///< gives it back
};

/// DLPackVersion
struct PackVersion {
    std::uint32_t major;  ///< layouts differ
    std::uint32_t minor;  ///< layouts are the same
};

inline constexpr std::uint64_t flag_read_only = 1;  ///< of ManagedTensorVersioned::flags: not to be written to
inline constexpr std::uint64_t flag_is_copied = 2;  ///< of ManagedTensorVersioned::flags: a copy was made

/// DLManagedTensorVersioned
struct ManagedTensorVersioned {
    PackVersion version;                            ///< of DLPack
    void* manager_ctx;                              ///< the owner's
    void (*deleter)(ManagedTensorVersioned* self);  ///< gives it back
    std::uint64_t flags;                            ///< flag_read_only, flag_is_copied
    Tensor dl_tensor;                               ///< what is shared
};

/// @}

}  // namespace fastnp::dlpack
