#include "plan/device_pick.h"

#include <algorithm>
#include <string>

#include "fastnp/error.h"
#include "plan/device_dense.h"
#include "plan/device_lines.h"
#include "plan/device_points.h"

namespace fastnp::plan {

using eager::View;

namespace {

enum class OutOfBounds : std::uint8_t { raise, wrap, clip };
constexpr std::size_t index_bytes = sizeof(std::int64_t);

std::int64_t count_of(const View& view) { return shape::count(view.shape); }
std::uint64_t bits_of(const View& view) { return reinterpret_cast<std::uintptr_t>(view.data); }

void gather(device::Backend& backend, const View& x, const View& indices, const View& out, std::size_t axis, OutOfBounds mode) {
    const std::int64_t axis_stride = x.strides[axis];
    const std::size_t rank = indices.shape.size();
    Points points;
    for (std::size_t i = 0; i < axis; ++i) points.add(x.shape[i], x.strides[i], 0, out.strides[i]);
    for (std::size_t k = 0; k < rank; ++k) points.add(indices.shape[k], 0, indices.strides[k], out.strides[axis + k]);
    for (std::size_t i = axis + 1; i < x.shape.size(); ++i) points.add(x.shape[i], x.strides[i], 0, out.strides[i - 1 + rank]);
    const std::int64_t unit =
        points.close(static_cast<std::int64_t>(itemsize_of(x.dtype)), bits_of(x) | bits_of(out) | static_cast<std::uint64_t>(axis_stride));
    if (!points.fit()) {
        // Contiguous arrays have at most three axes here: before the one that is picked along, the indices', and behind.
        const Dense dense(backend, x);
        const DenseResult result(backend, out);
        gather(backend, dense.view(), indices, result.view(), axis, mode);
        result.finish();
        return;
    }
    LibraryArguments arguments{address_of(x.data), address_of(indices.data),        address_of(out.data), axis_stride,
                               x.shape[axis],      static_cast<std::int64_t>(mode), points.count()};
    points.give(arguments);
    launch_library(backend, {"gather_" + std::to_string(unit)}, points.count(), codegen::kernel_threads, std::move(arguments));
}

}  // namespace

void take_on_device(device::Backend& backend, const ir::Attributes& attributes, const View& x, const View& indices, const View& out, IndexChecks& checks) {
    const auto axis = static_cast<std::size_t>(attributes.ints[0]);
    const auto mode = static_cast<OutOfBounds>(attributes.ints[1]);
    if (count_of(indices) == 0) return;
    if (x.shape[axis] == 0 && count_of(out) != 0) throw IndexError("cannot do a non-empty take from an empty axes.");
    const Dense dense(backend, indices);
    if (mode == OutOfBounds::raise) checks.look_at(backend, dense.view(), attributes.ints[0], x.shape[axis]);
    if (count_of(out) != 0) gather(backend, x, dense.view(), out, axis, mode);
}

void nonzero_on_device(device::Backend& backend, const View& mask, const View& out) {
    const std::int64_t count = mask.shape[0], tiles = (count + codegen::mask_tile - 1) / codegen::mask_tile, stride = mask.strides[0];
    if (tiles == 0) return;
    const device::Block ends(backend, static_cast<std::size_t>(tiles) * index_bytes);
    const DenseResult result(backend, out);
    launch_library(backend, {"count_true"}, tiles, 1, {address_of(mask.data), stride, count, address_of(ends.get()), tiles});
    const View totals{ends.get(), Dtype::int64, {tiles}, {index_bytes}};
    ir::Attributes along;
    along.ints.push_back(0);
    if (tiles > 1) scan_on_device(backend, ops::Op::cumsum, along, totals, totals);
    launch_library(backend, {"true_places"}, tiles, 1,
                   {address_of(mask.data), stride, count, address_of(ends.get()), address_of(result.view().data), tiles});
    result.finish();
}

}  // namespace fastnp::plan
