#include "plan/device_pick.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>

#include "device/block.h"
#include "fastnp/error.h"
#include "plan/device_dense.h"
#include "plan/library_launch.h"
#include "shape/strides.h"

namespace fastnp::plan {

using eager::View;

namespace {

constexpr auto axes = static_cast<std::size_t>(codegen::kernel_axes);
enum class OutOfBounds : std::uint8_t { raise, wrap, clip };

std::int64_t count_of(const View& view) { return shape::count(view.shape); }

/// Finds, on the device, the first index that is out of bounds; the host asks for it later.
class IndexCheck {
public:
    /// `indices` are contiguous.
    IndexCheck(device::Backend& backend, const View& indices, std::int64_t axis, std::int64_t extent)
        : backend_(backend), indices_(indices), axis_(axis), extent_(extent), found_(backend, sizeof(std::int64_t)) {
        const std::int64_t count = count_of(indices);
        backend.clear(found_.get(), sizeof(std::int64_t));
        launch_library(backend, {"check_indices"}, count, codegen::kernel_threads, {address_of(indices.data), count, extent, address_of(found_.get())});
    }

    /// Waits for it. IndexError if there is one.
    void finish() const {
        std::int64_t from_end = 0, index = 0;
        backend_.download(&from_end, found_.get(), sizeof from_end);
        if (from_end == 0) return;
        const std::int64_t number = count_of(indices_) - from_end;
        backend_.download(&index, static_cast<const char*>(indices_.data) + number * static_cast<std::int64_t>(sizeof index), sizeof index);
        throw IndexError("index " + std::to_string(index) + " is out of bounds for axis " + std::to_string(axis_) + " with size " +
                         std::to_string(extent_));
    }

private:
    device::Backend& backend_;
    const View& indices_;
    std::int64_t axis_, extent_;
    device::Block found_;
};

/// The points of a gather, and how the arrays step through them: in the bytes of elements along the last axis, then in units.
struct Points {
    Shape shape;
    Strides steps[3];  // x without the axis that is picked along, the indices, out

    Points(const View& x, const View& indices, const View& out, std::size_t axis) {
        const std::size_t rank = indices.shape.size();
        for (std::size_t i = 0; i < axis; ++i) add(x.shape[i], x.strides[i], 0, out.strides[i]);
        for (std::size_t k = 0; k < rank; ++k) add(indices.shape[k], 0, indices.strides[k], out.strides[axis + k]);
        for (std::size_t i = axis + 1; i < x.shape.size(); ++i) add(x.shape[i], x.strides[i], 0, out.strides[i - 1 + rank]);
        add(static_cast<std::int64_t>(itemsize_of(x.dtype)), 1, 0, 1);
        shape::collapse(shape, steps);
    }

    /// Bytes that can be moved at a time: as many as lie together on both sides, and all addresses and strides are multiples of.
    std::int64_t widen(const View& x, const View& out, std::int64_t axis_stride) {
        if (shape.empty() || steps[0].back() != 1 || steps[1].back() != 0 || steps[2].back() != 1) return 1;
        std::uint64_t bits = 16 | static_cast<std::uint64_t>(shape.back() | axis_stride) | reinterpret_cast<std::uintptr_t>(x.data) |
                             reinterpret_cast<std::uintptr_t>(out.data);
        for (std::size_t i = 0; i + 1 < shape.size(); ++i) bits |= static_cast<std::uint64_t>(steps[0][i] | steps[2][i]);
        const std::int64_t unit = std::int64_t{1} << std::countr_zero(bits);
        shape.back() /= unit;
        steps[0].back() = steps[2].back() = unit;
        shape::collapse(shape, steps);
        return unit;
    }

private:
    void add(std::int64_t size, std::int64_t x, std::int64_t index, std::int64_t out) {
        shape.push_back(size);
        steps[0].push_back(x);
        steps[1].push_back(index);
        steps[2].push_back(out);
    }
};

void add_padded(LibraryArguments& arguments, const SmallVector<std::int64_t>& values, std::int64_t otherwise) {
    for (std::size_t i = values.size(); i < axes; ++i) arguments.push_back(otherwise);
    for (const std::int64_t value : values) arguments.push_back(value);
}

void gather(device::Backend& backend, const View& x, const View& indices, const View& out, std::size_t axis, OutOfBounds mode) {
    const std::int64_t axis_stride = x.strides[axis];
    Points points(x, indices, out, axis);
    const std::int64_t unit = points.widen(x, out, axis_stride);
    if (points.shape.size() > axes) {
        // Contiguous arrays have at most three axes here: before the one that is picked along, the indices', and behind.
        const Dense dense_x(backend, x), dense_indices(backend, indices);
        DenseResult dense_out(backend, out);
        gather(backend, dense_x.view(), dense_indices.view(), dense_out.view(), axis, mode);
        dense_out.finish();
        return;
    }
    const std::int64_t count = shape::count(points.shape);
    LibraryArguments arguments{
        address_of(x.data), address_of(indices.data), address_of(out.data), axis_stride, x.shape[axis], static_cast<std::int64_t>(mode), count};
    add_padded(arguments, points.shape, 1);
    for (const Strides& steps : points.steps) add_padded(arguments, steps, 0);
    launch_library(backend, {"gather_" + std::to_string(unit)}, count, codegen::kernel_threads, std::move(arguments));
}

}  // namespace

void take_on_device(device::Backend& backend, const ir::Attributes& attributes, const View& x, const View& indices, const View& out) {
    const auto axis = static_cast<std::size_t>(attributes.ints[0]);
    const auto mode = static_cast<OutOfBounds>(attributes.ints[1]);
    if (count_of(indices) == 0) return;
    if (x.shape[axis] == 0) throw IndexError("cannot do a non-empty take from an empty axes.");
    const Dense dense(backend, indices);
    std::optional<IndexCheck> check;
    if (mode == OutOfBounds::raise) check.emplace(backend, dense.view(), attributes.ints[0], x.shape[axis]);
    if (count_of(out) != 0) gather(backend, x, dense.view(), out, axis, mode);
    if (check) check->finish();
}

}  // namespace fastnp::plan
