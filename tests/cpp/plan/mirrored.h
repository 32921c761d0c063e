// Arrays that are on the host and on a device.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <random>
#include <vector>

#include "device/block.h"
#include "eager/eager.h"
#include "shape/strides.h"

namespace fastnp::plan {

// An array on the host, in the middle of other bytes, and the same bytes on a device.
class Mirrored {
public:
    // `order`: of the axes in memory, slowest first; `every`: only every n-th element is used along each axis (negative: backwards; 0: one element
    // repeats).
    Mirrored(device::Backend& backend, Dtype dtype, const Shape& shape, const SmallVector<std::int64_t>& order, const SmallVector<std::int64_t>& every)
        : backend_(backend) {
        view.dtype = dtype;
        view.shape = shape;
        view.strides.resize(shape.size());
        std::int64_t step = static_cast<std::int64_t>(itemsize_of(dtype)), first = 0;
        for (std::size_t i = order.size(); i-- > 0;) {
            const auto axis = static_cast<std::size_t>(order[i]);
            view.strides[axis] = step * every[axis];
            if (every[axis] == 0) continue;
            if (every[axis] < 0) first -= (shape[axis] - 1) * view.strides[axis];
            step *= std::max<std::int64_t>(shape[axis], 1) * std::abs(every[axis]);
        }
        bytes_.resize(static_cast<std::size_t>(step) + 1);
        there_.emplace_back(backend, bytes_.size());
        view.data = bytes_.data() + first;
    }
    Mirrored(device::Backend& backend, Dtype dtype, const Shape& shape) : Mirrored(backend, dtype, shape, in_order(shape.size()), ones(shape.size())) {}

    // Small whole numbers, whose products and sums are exact in every dtype.
    void fill(unsigned seed) {
        std::mt19937 random(seed);
        std::vector<std::int8_t> numbers(static_cast<std::size_t>(shape::count(view.shape)));
        for (std::int8_t& each : numbers) each = static_cast<std::int8_t>(static_cast<int>(random() % 5) - 2);
        fill(Dtype::int8, numbers.data());
    }
    // Elements of another dtype, in C order.
    void fill(Dtype from, void* elements) {
        eager::copy({elements, from, view.shape, shape::c_strides(view.shape, itemsize_of(from))}, view);
        backend_.upload(there_[0].get(), bytes_.data(), bytes_.size());
    }
    // On the device.
    eager::View there() const {
        eager::View made = view;
        made.data = there_[0].get() + (static_cast<char*>(view.data) - bytes_.data());
        return made;
    }
    // All bytes that the elements lie among, here and on the device.
    const std::vector<char>& bytes() const { return bytes_; }
    std::vector<char> bytes_there() {
        std::vector<char> found(bytes_.size());
        backend_.download(found.data(), there_[0].get(), found.size());
        return found;
    }
    // The device's elements.
    std::vector<std::complex<double>> values_there() {
        std::vector<char> found = bytes_there();
        eager::View seen = view;
        seen.data = found.data() + (static_cast<char*>(view.data) - bytes_.data());
        return values_of(seen);
    }
    static std::vector<std::complex<double>> values_of(const eager::View& view) {
        std::vector<std::complex<double>> values(static_cast<std::size_t>(shape::count(view.shape)));
        eager::copy(view, {values.data(), complex128, view.shape, shape::c_strides(view.shape, 16)});
        return values;
    }
    static SmallVector<std::int64_t> in_order(std::size_t rank) {
        SmallVector<std::int64_t> order;
        for (std::size_t i = 0; i < rank; ++i) order.push_back(static_cast<std::int64_t>(i));
        return order;
    }
    static SmallVector<std::int64_t> ones(std::size_t rank) { return SmallVector<std::int64_t>(rank, 1); }

    eager::View view;

private:
    device::Backend& backend_;
    std::vector<char> bytes_;
    std::vector<device::Block> there_;
};

}  // namespace fastnp::plan
