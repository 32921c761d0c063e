#include "plan/device_pick.h"

#include <algorithm>
#include <optional>
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

/// The places that indices mean, in ascending order, and the numbers that they had.
struct SortedPlaces {
    device::Block places, order;

    SortedPlaces(device::Backend& backend, const void* given, std::int64_t count)
        : places(backend, static_cast<std::size_t>(count) * index_bytes), order(backend, static_cast<std::size_t>(count) * index_bytes) {
        const View view{const_cast<void*>(given), Dtype::int64, {count}, {index_bytes}};  // which is read alone
        sort_with_order(backend, view, places.get(), order.get());
    }
};

// Which values are the last ones for their rows: 1, else 0. Where there are far more rows than values, without memory for each row.
device::Block last_for_rows(device::Backend& backend, std::int64_t rows, const void* places, std::int64_t count, const void* found) {
    constexpr std::int64_t many = 8;
    device::Block chosen(backend, static_cast<std::size_t>(count));
    const auto launch = [&](const char* name, const void* by_place, const void* other, void* result) {
        launch_library(backend, {name}, count, codegen::kernel_threads,
                       {address_of(by_place), count, address_of(other), address_of(result), address_of(found)});
    };
    if (rows / many > count) {
        const SortedPlaces sorted(backend, places, count);
        launch("choose_sorted", sorted.places.get(), sorted.order.get(), chosen.get());
        return chosen;
    }
    const std::size_t bytes = static_cast<std::size_t>(std::max<std::int64_t>(rows, 1)) * index_bytes;
    const device::Block last(backend, bytes);
    backend.clear(last.get(), bytes);
    launch_library(backend, {"last_of_place"}, count, codegen::kernel_threads, {address_of(places), count, address_of(last.get()), address_of(found)});
    launch("choose_last", places, last.get(), chosen.get());
    return chosen;
}

// Rows replaced by values; the indices' axes come first in these.
void put(device::Backend& backend, const Shape& of_indices, const void* places, const View& values, const View& out, const void* found) {
    const std::size_t rank = of_indices.size();
    const Strides steps = shape::c_strides(of_indices, index_bytes);
    Points points;
    bool is_one_value = true;  // for all rows
    for (std::size_t k = 0; k < rank; ++k) {
        points.add(of_indices[k], values.strides[k], steps[k], 0);
        is_one_value = is_one_value && (of_indices[k] == 1 || values.strides[k] == 0);
    }
    for (std::size_t i = 1; i < out.shape.size(); ++i) points.add(out.shape[i], values.strides[rank + i - 1], 0, out.strides[i]);
    const std::int64_t unit =
        points.close(static_cast<std::int64_t>(itemsize_of(out.dtype)), bits_of(values) | bits_of(out) | static_cast<std::uint64_t>(out.strides[0]));
    if (!points.fit()) {
        const Dense dense(backend, values);
        const DenseTarget target(backend, out);
        put(backend, of_indices, places, dense.view(), target.view(), found);
        target.finish();
        return;
    }
    std::optional<device::Block> chosen;
    if (!is_one_value) chosen.emplace(last_for_rows(backend, out.shape[0], places, shape::count(of_indices), found));
    LibraryArguments arguments{address_of(values.data), address_of(places), address_of(out.data), address_of(chosen ? chosen->get() : nullptr),
                               address_of(found),       out.strides[0],     points.count()};
    points.give(arguments);
    launch_library(backend, {"put_" + std::to_string(unit)}, points.count(), codegen::kernel_threads, std::move(arguments));
}

// Ops that give the same, but for rounding, whichever of several operands are combined first.
bool is_associative(ops::Op op) {
    using ops::Op;
    constexpr Op all[] = {Op::add,        Op::multiply,    Op::maximum,     Op::minimum,    Op::fmax,        Op::fmin, Op::logical_and,
                          Op::logical_or, Op::logical_xor, Op::bitwise_and, Op::bitwise_or, Op::bitwise_xor, Op::gcd,  Op::lcm};
    return std::ranges::find(all, op) != std::end(all);
}

// Rows combined with values: these in the order of their rows, each by a thread that begins its row's.
void combine(device::Backend& backend, ops::Op op, const Shape& of_indices, const void* places, const View& values, const View& out, const void* found) {
    constexpr std::size_t row_axes = 2;
    constexpr std::int64_t part_rows = 1024;
    const std::size_t rank = of_indices.size();
    Shape numbers = of_indices, row(out.shape.begin() + 1, out.shape.end());
    Strides of_numbers[] = {Strides(values.strides.begin(), values.strides.begin() + static_cast<std::ptrdiff_t>(rank))};
    Strides of_row[] = {Strides(values.strides.begin() + static_cast<std::ptrdiff_t>(rank), values.strides.end()),
                        Strides(out.strides.begin() + 1, out.strides.end())};
    shape::collapse(numbers, of_numbers);
    shape::collapse(row, of_row);
    if (numbers.size() > 1 || row.size() > row_axes) {
        const Dense dense(backend, values);
        const DenseTarget target(backend, out);
        combine(backend, op, of_indices, places, dense.view(), target.view(), found);
        target.finish();
        return;
    }
    const std::int64_t count = shape::count(of_indices), elements = shape::count(row), part = is_associative(op) ? part_rows : count;
    const SortedPlaces sorted(backend, places, count);
    std::optional<device::Block> sums;
    if (count > part) sums.emplace(backend, static_cast<std::size_t>((count + part - 1) / part * elements) * itemsize_of(out.dtype));
    const std::string dtype(name_of(out.dtype));
    const codegen::LibraryKernel::Combine by{op, out.dtype};
    const auto give_row = [&](LibraryArguments& arguments, std::int64_t stride, const Strides& steps) {
        arguments.push_back(stride);
        add_padded(arguments, steps, row_axes, 0);
    };
    LibraryArguments runs{address_of(sorted.places.get()),
                          address_of(sorted.order.get()),
                          address_of(values.data),
                          address_of(out.data),
                          address_of(sums ? sums->get() : nullptr),
                          address_of(found),
                          count,
                          part,
                          count * elements};
    add_padded(runs, row, row_axes, 1);
    give_row(runs, of_numbers[0].empty() ? 0 : of_numbers[0][0], of_row[0]);
    give_row(runs, out.strides[0], of_row[1]);
    launch_library(backend, {"combine_runs_" + dtype, by}, count * elements, codegen::kernel_threads, std::move(runs));
    if (!sums) return;
    LibraryArguments parts{
        address_of(sorted.places.get()), address_of(out.data), address_of(sums->get()), address_of(found), count, part, count * elements};
    add_padded(parts, row, row_axes, 1);
    give_row(parts, out.strides[0], of_row[1]);
    launch_library(backend, {"combine_parts_" + dtype, by}, count * elements, codegen::kernel_threads, std::move(parts));
}

}  // namespace

void take_on_device(device::Backend& backend, const ir::Attributes& attributes, const View& x, const View& indices, const View& out, IndexChecks& checks) {
    const auto axis = static_cast<std::size_t>(attributes.ints[0]);
    const auto mode = static_cast<OutOfBounds>(attributes.ints[1]);
    if (count_of(indices) == 0) return;
    if (x.shape[axis] == 0) throw IndexError("cannot do a non-empty take from an empty axes.");
    const Dense dense(backend, indices);
    if (mode == OutOfBounds::raise) checks.look_at(backend, dense.view(), attributes.ints[0], x.shape[axis]);
    if (count_of(out) != 0) gather(backend, x, dense.view(), out, axis, mode);
}

void scatter_on_device(device::Backend& backend, const ir::Attributes& attributes, const View& x, const View& indices, const View& values, const View& out,
                       IndexChecks& checks) {
    if (x.data != out.data) copy_on_device(backend, x, out);
    const std::int64_t count = count_of(indices);
    if (count == 0) return;
    const Dense dense(backend, indices);
    const device::Block places(backend, static_cast<std::size_t>(count) * index_bytes);
    const void* found = checks.look_at(backend, dense.view(), 0, out.shape[0], places.get());
    if (count_of(out) == 0) return;
    if (attributes.ints[0] < 0) put(backend, indices.shape, places.get(), values, out, found);
    else combine(backend, static_cast<ops::Op>(attributes.ints[0]), indices.shape, places.get(), values, out, found);
}

void nonzero_on_device(device::Backend& backend, const View& mask, const View& out) {
    const std::int64_t count = mask.shape[0], tiles = (count + codegen::scan_tile - 1) / codegen::scan_tile, stride = mask.strides[0];
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
