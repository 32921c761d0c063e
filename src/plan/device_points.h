// Points along several axes at which elements are moved, as kernels are given them (cuda/device_functions/kernels/points.h).
#pragma once

#include <bit>
#include <cstdint>

#include "plan/library_launch.h"
#include "shape/strides.h"

namespace fastnp::plan {

/// Axes, and the bytes that three arrays step by along each: where elements come from, the indices, and where elements go.
class Points {
public:
    void add(std::int64_t size, std::int64_t from, std::int64_t index, std::int64_t to) {
        shape_.push_back(size);
        steps_[0].push_back(from);
        steps_[1].push_back(index);
        steps_[2].push_back(to);
    }

    /// After the last axis: what is moved at a time is the largest unit that elements of so many bytes which lie together on both sides can be moved in.
    /// Addresses and strides that are no axis's are multiples of it, too: `others` are all of them, or-ed together. Gives the unit.
    std::int64_t close(std::int64_t itemsize, std::uint64_t others) {
        add(itemsize, 1, 0, 1);
        shape::collapse(shape_, steps_);
        if (shape_.empty() || steps_[0].back() != 1 || steps_[1].back() != 0 || steps_[2].back() != 1) return 1;
        constexpr std::uint64_t widest = 16;
        std::uint64_t bits = widest | others | static_cast<std::uint64_t>(shape_.back());
        for (std::size_t i = 0; i + 1 < shape_.size(); ++i) bits |= static_cast<std::uint64_t>(steps_[0][i] | steps_[2][i]);
        const std::int64_t unit = std::int64_t{1} << std::countr_zero(bits);
        shape_.back() /= unit;
        steps_[0].back() = steps_[2].back() = unit;
        shape::collapse(shape_, steps_);
        return unit;
    }

    /// After the last axis, where elements are not moved as they are.
    void close_elements() { shape::collapse(shape_, steps_); }

    /// Whether kernels can walk them.
    bool fit() const { return shape_.size() <= axes; }
    std::int64_t count() const { return shape::count(shape_); }

    /// The sizes, then the steps of each array.
    void give(LibraryArguments& arguments) const {
        add_padded(arguments, shape_, axes, 1);
        for (const Strides& steps : steps_) add_padded(arguments, steps, axes, 0);
    }

private:
    static constexpr auto axes = static_cast<std::size_t>(codegen::kernel_axes);
    Shape shape_;
    Strides steps_[3];
};

}  // namespace fastnp::plan
