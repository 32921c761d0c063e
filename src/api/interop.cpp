// DLPack: fastnp arrays out, other libraries' tensors in.
#include "fastnp/interop.h"

#include "api/primitives.h"
#include "device/movable.h"
#include "fastnp/error.h"

namespace fastnp {

namespace {

constexpr dlpack::PackVersion version{1, 1};
constexpr std::int32_t host = 1, pinned_host = 3;
enum Code : std::uint8_t { integer = 0, unsigned_integer = 1, floating = 2, bfloat = 4, complex = 5, boolean = 6 };

dlpack::DataType to_type(Dtype dtype) {
    const auto bits = static_cast<std::uint8_t>(8 * itemsize_of(dtype));
    if (dtype == Dtype::bfloat16) return {bfloat, bits, 1};
    switch (kind_of(dtype)) {
        case 'b': return {boolean, bits, 1};
        case 'i': return {integer, bits, 1};
        case 'u': return {unsigned_integer, bits, 1};
        case 'f': return {floating, bits, 1};
        default: return {complex, bits, 1};
    }
}

Dtype from_type(const dlpack::DataType& type) {
    for (int i = 0; i < dtype_count; ++i) {
        const auto dtype = static_cast<Dtype>(i);
        const dlpack::DataType known = to_type(dtype);
        if (known.code == type.code && known.bits == type.bits && type.lanes == 1) return dtype;
    }
    throw BufferError("unsupported DLPack dtype: code " + std::to_string(type.code) + ", " + std::to_string(type.bits) + " bits, " +
                      std::to_string(type.lanes) + " lanes");
}

// What the tensor's pointers point to, and what keeps the elements.
template <class Managed>
struct Exported {
    Managed tensor{};
    array owner;
    Shape shape;
    Strides strides;  // in elements
};

template <class Managed>
Managed* exported(const array& x) {
    const device::Memory& memory = api::memory_of(x, "to_dlpack()");
    const auto itemsize = static_cast<std::int64_t>(itemsize_of(memory.dtype));
    auto holder = std::make_unique<Exported<Managed>>();
    holder->owner = x;
    holder->shape = memory.shape;
    for (std::size_t i = 0; i < memory.strides.size(); ++i) {
        const std::int64_t stride = memory.shape[i] > 1 ? memory.strides[i] : itemsize;  // those of size 1 may be anything
        if (stride % itemsize != 0) throw BufferError("DLPack only supports strides which are a multiple of itemsize.");
        holder->strides.push_back(stride / itemsize);
    }
    dlpack::Tensor& tensor = holder->tensor.dl_tensor;
    device::use_on_host(memory.data, device::Access::expose);
    tensor.data = memory.data;
    tensor.device = {host, 0};
    tensor.ndim = static_cast<std::int32_t>(memory.shape.size());
    tensor.dtype = to_type(memory.dtype);
    tensor.shape = holder->shape.data();
    tensor.strides = holder->strides.data();
    holder->tensor.manager_ctx = holder.get();
    holder->tensor.deleter = [](Managed* self) { delete static_cast<Exported<Managed>*>(self->manager_ctx); };
    return &holder.release()->tensor;
}

template <class Managed>
array imported(Managed* managed, bool writable) {
    const dlpack::Tensor& tensor = managed->dl_tensor;
    if (tensor.device.device_type != host && tensor.device.device_type != pinned_host) throw BufferError("Unsupported device in DLTensor.");
    if (tensor.ndim < 0) throw BufferError("a DLPack tensor of negative rank");
    const Dtype dtype = from_type(tensor.dtype);
    const auto itemsize = static_cast<std::int64_t>(itemsize_of(dtype));
    Shape shape(tensor.shape, tensor.shape + tensor.ndim);
    Strides strides;
    for (std::int32_t i = 0; tensor.strides != nullptr && i < tensor.ndim; ++i) strides.push_back(tensor.strides[i] * itemsize);
    void* data = static_cast<char*>(tensor.data) + tensor.byte_offset;
    const auto release = [managed] {
        if (managed->deleter != nullptr) managed->deleter(managed);
    };
    return array::from_memory(data, dtype, std::move(shape), std::move(strides), release, writable);
}

}  // namespace

dlpack::ManagedTensor* to_dlpack(const array& x) {
    if (!x.writable()) throw BufferError("Cannot export readonly array since signalling readonly is unsupported by DLPack.");
    return exported<dlpack::ManagedTensor>(x);
}

dlpack::ManagedTensorVersioned* to_dlpack_versioned(const array& x) {
    dlpack::ManagedTensorVersioned* result = exported<dlpack::ManagedTensorVersioned>(x);
    result->version = version;
    result->flags = x.writable() ? 0 : dlpack::flag_read_only;
    return result;
}

array from_dlpack(dlpack::ManagedTensor* tensor) { return imported(tensor, true); }

array from_dlpack(dlpack::ManagedTensorVersioned* tensor) {
    if (tensor->version.major > version.major) {
        throw BufferError("a DLPack tensor of version " + std::to_string(tensor->version.major) + ", newer than version 1, which fastnp knows");
    }
    return imported(tensor, (tensor->flags & dlpack::flag_read_only) == 0);
}

}  // namespace fastnp
