// fastnp arrays as xtensor expressions and xtensor containers as fastnp arrays, without copies. Not part of fastnp.h: it needs xtensor's headers.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>
#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>

#include "fastnp/array.h"

namespace fastnp {

/// An xtensor container over memory that an array holds.
template <class T>
using xtensor_view = xt::xarray_adaptor<xt::xbuffer_adaptor<T*, xt::smart_ownership, std::shared_ptr<detail::ArrayBody>>, xt::layout_type::dynamic,
                                        std::vector<std::size_t>>;

/// The array's elements as an xtensor expression of the same shape and strides, writable through it; it keeps the memory alive. TypeError unless T is
/// the element type, ValueError for strides that are no multiple of its size, RecordError while recording.
template <class T>
xtensor_view<T> to_xtensor(const array& x) {
    T* data = x.data<T>();
    const Shape sizes = x.shape();
    const Strides bytes = x.strides();
    std::vector<std::size_t> shape(sizes.begin(), sizes.end());
    typename xtensor_view<T>::strides_type strides;
    std::ptrdiff_t reach = 1;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (bytes[i] % static_cast<std::int64_t>(sizeof(T)) != 0)
            throw ValueError("strides that are no multiple of the element size have no xtensor view");
        const auto step = static_cast<std::ptrdiff_t>(bytes[i] / static_cast<std::int64_t>(sizeof(T)));
        strides.push_back(sizes[i] == 1 ? 0 : step);
        if (step > 0) reach += step * static_cast<std::ptrdiff_t>(sizes[i] - 1);
    }
    typename xtensor_view<T>::storage_type storage(std::move(data), static_cast<std::size_t>(reach), x.body());
    return xtensor_view<T>(std::move(storage), std::move(shape), std::move(strides));
}

namespace detail {

template <class C>
array from_xtensor_memory(C& container, std::function<void()> release) {
    using T = std::remove_pointer_t<decltype(container.data())>;
    Shape shape;
    Strides strides;
    for (const auto size : container.shape()) shape.push_back(static_cast<std::int64_t>(size));
    for (const auto step : container.strides()) strides.push_back(static_cast<std::int64_t>(step) * static_cast<std::int64_t>(sizeof(T)));
    auto* data = const_cast<std::remove_const_t<T>*>(container.data());  // NOLINT: the array is read-only then
    return array::from_memory(data + container.data_offset(), dtype_of<T>, std::move(shape), std::move(strides), std::move(release), !std::is_const_v<T>);
}

}  // namespace detail

/// An array over the memory of an xtensor container or strided view. `owner` is kept while an array uses it; without one the container must
/// outlive all arrays made from this.
template <class C>
    requires std::is_lvalue_reference_v<C&&>
array from_xtensor(C&& container, std::shared_ptr<const void> owner = {}) {
    return detail::from_xtensor_memory(container, [owner = std::move(owner)] {});
}

/// An array that takes the container over: auto x = from_xtensor(xt::xarray<double>{...}).
template <class C>
    requires(!std::is_lvalue_reference_v<C &&>)
array from_xtensor(C&& container) {
    auto owner = std::make_shared<C>(std::move(container));
    C& kept = *owner;
    return detail::from_xtensor_memory(kept, [owner = std::move(owner)] {});
}

}  // namespace fastnp
