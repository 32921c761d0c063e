// Elements shared with other libraries without copies: spans, raw pointers (array::from_memory) and DLPack; on CUDA devices DLPack, and what the CUDA
// Array Interface says. For xtensor see xtensor.h.
//
// An array at home on a device is shared there: from then on it stays there, whatever the host does with it, since the other library may use it at any
// time; the host reads it by copies, which are never kept, and what the host writes goes there at once. fastnp's work on what is shared comes after all
// that other libraries asked the device for before, and what they ask for later comes after it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>

#include "fastnp/array.h"
#include "fastnp/dlpack.h"
#include "fastnp/export.h"

namespace fastnp {

/// \addtogroup interop
/// @{

/// The elements of a span as an array of `shape` (of rank 1 if left out), without a copy. `owner` is kept while an array uses them; without one
/// they must outlive all arrays made from this. Of const elements the array is read-only. ValueError if the shape does not fit.
template <class T>
array from_span(std::span<T> elements, Shape shape, std::shared_ptr<const void> owner = {}) {
    std::int64_t count = 1;
    for (const std::int64_t size : shape) count *= size;
    if (count != static_cast<std::int64_t>(elements.size())) {
        throw ValueError("cannot reshape array of size " + std::to_string(elements.size()) + " into a shape of " + std::to_string(count) + " elements");
    }
    void* data = const_cast<std::remove_cv_t<T>*>(elements.data());  // NOLINT: the array is read-only then
    return array::from_memory(data, dtype_of<T>, std::move(shape), {}, [owner = std::move(owner)] {}, !std::is_const_v<T>);
}
/// The same of rank 1.
///
///     std::vector<double> values(8);
///     array x = from_span(std::span(values));  // writes go to values
template <class T>
array from_span(std::span<T> elements, std::shared_ptr<const void> owner = {}) {
    return from_span(elements, Shape{static_cast<std::int64_t>(elements.size())}, std::move(owner));
}

/// @}

/// \cond wrong uses, which are told
template <class T, class... More>
array from_span(const std::vector<T>&, const More&...) {
    static_assert(std::is_same_v<T, void>, "fastnp: from_span takes a span, from_span(std::span(v)), and shares its memory; array(v) copies a vector");
    return {};
}
/// \endcond

/// \addtogroup interop
/// @{

/// Where to_dlpack() gives an array's elements: the CUDA device that it is at home on, else the processor.
FASTNP_API dlpack::Device dlpack_device(const array& x);
/// The array as a DLManagedTensor, whose deleter lets go of the memory. `stream`: the CUDA stream that uses it, which comes after what fastnp was asked
/// for (DLPack's numbers: 1 the default one, 2 the thread's, -1 none, else a handle; nothing to arrays of the processor). BufferError for read-only arrays
/// (the format can't say so) and for strides that are no multiple of the element size; ValueError for stream 0; RecordError while recording.
FASTNP_API dlpack::ManagedTensor* to_dlpack(const array& x, std::int64_t stream = dlpack::default_stream);
/// The same as a DLManagedTensorVersioned, which says whether it is read-only.
FASTNP_API dlpack::ManagedTensorVersioned* to_dlpack_versioned(const array& x, std::int64_t stream = dlpack::default_stream);

/// An array over the tensor's memory, which it owns from here on: the deleter runs when the last view is gone. BufferError, with the tensor left to
/// the caller, for devices, dtypes and versions that fastnp does not know.
FASTNP_API array from_dlpack(dlpack::ManagedTensor* tensor);
/// The same of a tensor that says whether it is read-only.
FASTNP_API array from_dlpack(dlpack::ManagedTensorVersioned* tensor);
/// The stream that whoever makes a tensor for fastnp on this device has to have wait for it: fastnp's there. DeviceError: it can't be used.
FASTNP_API std::int64_t dlpack_stream(const dlpack::Device& device);

/// The address of the first element on the CUDA device that x is at home on, where it is shared from then on; every stream there comes after what fastnp
/// was asked for. BufferError: x is on the processor; RecordError while recording. (`__cuda_array_interface__`)
FASTNP_API void* device_address(const array& x);
/// An array over memory of a CUDA device, the first element at `data`; strides in bytes. `release` runs when the last view is gone. fastnp comes after
/// what `stream`, if there is one, was asked for. BufferError: the address is on no CUDA device, or not aligned to its elements; ValueError for stream 0.
FASTNP_API array from_device_memory(void* data, Dtype dtype, Shape shape, Strides strides, std::function<void()> release, bool writable = true,
                                    std::optional<std::int64_t> stream = std::nullopt);
/// A copy of an array on the device that it is at home on, with the same strides, where the host would make one of its own.
FASTNP_API array copied_on_device(const array& x);

/// @}

}  // namespace fastnp
