// Elements shared with other libraries without copies: spans, raw pointers (array::from_memory) and DLPack. For xtensor see xtensor.h.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <type_traits>

#include "fastnp/array.h"
#include "fastnp/dlpack.h"
#include "fastnp/export.h"

namespace fastnp {

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
template <class T>
array from_span(std::span<T> elements, std::shared_ptr<const void> owner = {}) {
    return from_span(elements, Shape{static_cast<std::int64_t>(elements.size())}, std::move(owner));
}

/// The array as a DLManagedTensor, whose deleter lets go of the memory. BufferError for read-only arrays (the format can't say so) and for strides
/// that are no multiple of the element size; RecordError while recording.
FASTNP_API dlpack::ManagedTensor* to_dlpack(const array& x);
/// The same as a DLManagedTensorVersioned, which says whether it is read-only.
FASTNP_API dlpack::ManagedTensorVersioned* to_dlpack_versioned(const array& x);

/// An array over the tensor's memory, which it owns from here on: the deleter runs when the last view is gone. BufferError, with the tensor left to
/// the caller, for devices, dtypes and versions that fastnp does not know.
FASTNP_API array from_dlpack(dlpack::ManagedTensor* tensor);
FASTNP_API array from_dlpack(dlpack::ManagedTensorVersioned* tensor);

}  // namespace fastnp
