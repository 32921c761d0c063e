// DLPack: fastnp arrays out, other libraries' tensors in; and memory of CUDA devices.
#include "fastnp/interop.h"

#include "api/primitives.h"
#include "device/movable.h"
#include "device/registry.h"
#include "device/span.h"
#include "fastnp/detail/borrowed.h"
#include "fastnp/detail/shared.h"
#include "fastnp/error.h"
#include "shape/strides.h"

namespace fastnp {

namespace {

constexpr dlpack::PackVersion version{1, 1};
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

// Streams of CUDA by their numbers in DLPack, whose 0 could be two of them.
device::Backend::Stream stream_of(std::int64_t number) {
    if (number == 0) throw ValueError("stream 0 is ambiguous: 1 is CUDA's default stream, 2 the one of each thread");
    return static_cast<device::Backend::Stream>(number);
}

// The address by which others may use it from now on.
void* share(const device::Memory& memory, device::Backend& home) {
    const std::shared_ptr<void> there = device::share_on_device(home, memory.data);
    if (!there) throw BufferError("the array left device '" + home.name() + "' while it was exported");
    return there.get();
}

template <class Managed>
Managed* exported(const array& x, std::int64_t stream) {
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
    if (device::Backend* home = device::home_of(memory.data)) {
        const device::Backend::Stream theirs = stream_of(stream);
        tensor.data = share(memory, *home);
        tensor.device = {dlpack::cuda, home->number()};
        if (stream != dlpack::no_stream) home->let_wait(theirs);
    } else {
        device::use_on_host(memory.data, device::Access::expose);
        tensor.data = memory.data;
        tensor.device = {dlpack::cpu, 0};
    }
    tensor.ndim = static_cast<std::int32_t>(memory.shape.size());
    tensor.dtype = to_type(memory.dtype);
    tensor.shape = holder->shape.data();
    tensor.strides = holder->strides.data();
    holder->tensor.manager_ctx = holder.get();
    holder->tensor.deleter = [](Managed* self) { delete static_cast<Exported<Managed>*>(self->manager_ctx); };
    return &holder.release()->tensor;
}

// Elements on a device, each aligned to the numbers that it is made of.
array on_device(device::Backend& backend, void* data, Dtype dtype, Shape shape, Strides strides, std::function<void()> release, bool writable) {
    device::Memory memory{nullptr, nullptr, dtype, std::move(shape), std::move(strides)};
    const std::size_t itemsize = itemsize_of(dtype);
    if (memory.strides.empty()) memory.strides = shape::c_strides(memory.shape, itemsize);
    if (memory.strides.size() != memory.shape.size()) throw ValueError("strides, if given, must be the same length as shape");
    if (shape::byte_count(memory.shape, itemsize) == 0) {
        memory.buffer = device::allocate_movable(0, &backend);
        memory.data = memory.buffer->data();
        release();
        return api::wrap(std::move(memory), writable);
    }
    const auto number = static_cast<std::int64_t>(is_complex(dtype) ? itemsize / 2 : itemsize);
    bool aligned = reinterpret_cast<std::intptr_t>(data) % number == 0;
    for (const std::int64_t stride : memory.strides) aligned = aligned && stride % number == 0;
    if (!aligned) throw BufferError("elements on device '" + backend.name() + "' are not aligned");
    const device::Span span = device::span_of(memory);
    memory.buffer = device::borrow_on_device(backend, static_cast<char*>(data) + span.first, span.bytes(), std::move(release));
    memory.data = static_cast<char*>(memory.buffer->data()) - span.first;
    return api::wrap(std::move(memory), writable);
}

device::Backend& device_with(const dlpack::Device& device) {
    try {
        return device::cuda(device.device_id);
    } catch (const DeviceError& error) {
        throw BufferError(error.what());
    }
}

template <class Managed>
array imported(Managed* managed, bool writable) {
    const dlpack::Tensor& tensor = managed->dl_tensor;
    const std::int32_t where = tensor.device.device_type;
    const bool is_there = where == dlpack::cuda || where == dlpack::cuda_managed;
    if (!is_there && where != dlpack::cpu && where != dlpack::cuda_host) throw BufferError("Unsupported device in DLTensor.");
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
    if (is_there) return on_device(device_with(tensor.device), data, dtype, std::move(shape), std::move(strides), release, writable);
    return array::from_memory(data, dtype, std::move(shape), std::move(strides), release, writable);
}

}  // namespace

dlpack::Device dlpack_device(const array& x) {
    const device::Backend* home = x.is_recorded() ? nullptr : device::home_of(api::memory_of(x, "a device").data);
    return home == nullptr ? dlpack::Device{dlpack::cpu, 0} : dlpack::Device{dlpack::cuda, home->number()};
}

dlpack::ManagedTensor* to_dlpack(const array& x, std::int64_t stream) {
    if (!x.writable()) throw BufferError("Cannot export readonly array since signalling readonly is unsupported by DLPack.");
    return exported<dlpack::ManagedTensor>(x, stream);
}

dlpack::ManagedTensorVersioned* to_dlpack_versioned(const array& x, std::int64_t stream) {
    dlpack::ManagedTensorVersioned* result = exported<dlpack::ManagedTensorVersioned>(x, stream);
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

std::int64_t dlpack_stream(const dlpack::Device& device) { return static_cast<std::int64_t>(device::cuda(device.device_id).stream()); }

void* device_address(const array& x) {
    const device::Memory& memory = api::memory_of(x, "an address on a device");
    device::Backend* home = device::home_of(memory.data);
    if (home == nullptr) throw BufferError("the array is on the processor, not on a CUDA device");
    void* const there = share(memory, *home);
    home->let_wait(device::Backend::every_stream);
    return there;
}

array from_device_memory(void* data, Dtype dtype, Shape shape, Strides strides, std::function<void()> release, bool writable,
                         std::optional<std::int64_t> stream) {
    const bool is_empty = shape::byte_count(shape, itemsize_of(dtype)) == 0 && data == nullptr;  // the address says nothing
    device::Backend& backend = is_empty ? device::cuda(0) : device::cuda_with(data);
    if (stream) backend.wait_for(stream_of(*stream));
    return on_device(backend, data, dtype, std::move(shape), std::move(strides), std::move(release), writable);
}

const std::function<void()>* detail::release_of(const array& x) {
    const device::BufferPtr& buffer = x.body()->memory.buffer;  // null of arrays of the call that is under way, too
    return buffer != nullptr && buffer->is_borrowed() ? &buffer->release() : nullptr;
}

bool detail::is_shared(const array& x) { return !x.is_recorded() && device::shared_on(x.body()->memory.data) != nullptr; }

array copied_on_device(const array& x) {
    const device::Memory& memory = api::memory_of(x, "a copy on a device");
    device::Backend* home = device::home_of(memory.data);
    if (home == nullptr) throw BufferError("the array is on the processor, not on a CUDA device");
    const device::Span span = device::span_of(memory);
    device::Memory copy = memory;
    copy.buffer = device::copy_at_home(static_cast<char*>(memory.data) + span.first, span.bytes());
    if (copy.buffer == nullptr) throw BufferError("the array left device '" + home->name() + "' while it was copied");
    copy.data = static_cast<char*>(copy.buffer->data()) - span.first;
    return api::wrap(std::move(copy));
}

}  // namespace fastnp
