#include "plan/device_scatter.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <utility>

#include "plan/device_dense.h"
#include "plan/device_lines.h"
#include "plan/device_points.h"
#include "plan/device_radix.h"

namespace fastnp::plan {

using eager::View;

namespace {

constexpr std::size_t index_bytes = sizeof(std::int64_t);
constexpr std::int64_t most_in_order = 1024;  // values of a row that are surely combined in NumPy's order, where ops give the same but for rounding

std::uint64_t bits_of(const View& view) { return reinterpret_cast<std::uintptr_t>(view.data); }

/// Indices and what they set: rows of `out` by `values`, whose first axes are the indices'.
struct Scatter {
    device::Backend& backend;
    const View& indices;  // contiguous
    const View& values;
    const View& out;
    IndexChecks& checks;

    std::size_t rank() const { return indices.shape.size(); }
    std::int64_t count() const { return shape::count(indices.shape); }
    std::int64_t rows() const { return out.shape[0]; }

    // The points at which elements move: of the indices' axes, and of a row's.
    Points points() const {
        Points made;
        const Strides steps = shape::c_strides(indices.shape, index_bytes);
        for (std::size_t k = 0; k < rank(); ++k) made.add(indices.shape[k], values.strides[k], steps[k], 0);
        for (std::size_t i = 1; i < out.shape.size(); ++i) made.add(out.shape[i], values.strides[rank() + i - 1], 0, out.strides[i]);
        return made;
    }
    // The axes of the indices as few as can be, and their steps in the values.
    std::pair<Shape, Strides> numbers() const {
        Shape shape = indices.shape;
        Strides steps[] = {Strides(values.strides.begin(), values.strides.begin() + static_cast<std::ptrdiff_t>(rank()))};
        shape::collapse(shape, steps);
        return {shape, steps[0]};
    }
    bool has_single_elements() const { return shape::count(out.shape) == rows(); }
    bool is_one_row_for_all() const {
        for (std::size_t k = 0; k < rank(); ++k) {
            if (indices.shape[k] != 1 && values.strides[k] != 0) return false;
        }
        return true;
    }
    const void* look() const { return checks.look_at(backend, indices, 0, rows()); }
};

// The same where kernels can't walk the values, or the result.
template <class F>
void on_copies(const Scatter& x, F run) {
    const Dense dense(x.backend, x.values);
    const DenseTarget target(x.backend, x.out);
    run(Scatter{x.backend, x.indices, dense.view(), target.view(), x.checks});
    target.finish();
}

device::Block cleared(device::Backend& backend, std::int64_t bytes) {
    device::Block made(backend, static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)));
    backend.clear(made.get(), static_cast<std::size_t>(bytes));
    return made;
}

/// The places that indices mean, checked, in ascending order, and the numbers that they had; or, where that is asked for and they are small, the values.
struct SortedPlaces {
    const char* width;  // of places, as kernels' names have it
    Dtype dtype;
    device::Block places;
    std::optional<device::Block> order, values;  // of these, 4 bytes for each
    const void* found;

    explicit SortedPlaces(const Scatter& x, bool takes_values = false)
        : width(x.rows() <= UINT32_MAX ? "narrow" : "wide"),
          dtype(x.rows() <= UINT32_MAX ? Dtype::uint32 : Dtype::int64),
          places(x.backend, static_cast<std::size_t>(x.count()) * itemsize_of(dtype)) {
        const device::Block given(x.backend, static_cast<std::size_t>(x.count()) * itemsize_of(dtype));
        const View view{given.get(), dtype, {x.count()}, shape::c_strides({x.count()}, itemsize_of(dtype))};
        const int bits = std::max<int>(std::bit_width(static_cast<std::uint64_t>(x.rows() - 1)), 1);
        const std::size_t itemsize = itemsize_of(x.out.dtype), bytes = static_cast<std::size_t>(x.count()) * sizeof(std::uint32_t);
        const auto [numbers, steps] = x.numbers();
        if (takes_values && dtype == Dtype::uint32 && is_sorted_by_radix(view) && x.has_single_elements() && itemsize <= 4 && numbers.size() <= 1) {
            values.emplace(x.backend, bytes);
            const device::Block unsorted(x.backend, bytes);
            const std::string store = "store_pairs_" + std::to_string(itemsize);
            found = x.checks.look_by(x.backend, store.c_str(), x.indices, 0, x.rows(),
                                     {address_of(x.values.data), steps.empty() ? 0 : steps[0], address_of(given.get()), address_of(unsorted.get())});
            radix_sort_with(x.backend, view, words_of(unsorted), places.get(), words_of(*values), bits);
            return;
        }
        order.emplace(x.backend, static_cast<std::size_t>(x.count()) * index_bytes);
        const std::string store = std::string("store_places_") + width;
        found = x.checks.look_by(x.backend, store.c_str(), x.indices, 0, x.rows(), {address_of(given.get())});
        if (is_sorted_by_radix(view)) radix_sort(x.backend, view, places.get(), reinterpret_cast<std::int64_t*>(order->get()), bits);
        else sort_with_order(x.backend, view, places.get(), order->get());
    }

private:
    static std::uint32_t* words_of(const device::Block& block) { return reinterpret_cast<std::uint32_t*>(block.get()); }
};

// Rows of one element of at most 4 bytes, of which the device has memory for each: values go along with their numbers.
bool put_newest(const Scatter& x) {
    constexpr std::int64_t many = 4;
    const auto itemsize = static_cast<std::int64_t>(itemsize_of(x.out.dtype));
    const auto [numbers, steps] = x.numbers();
    if (!x.has_single_elements() || itemsize > 4 || numbers.size() > 1 || x.count() >= UINT32_MAX || x.rows() / many > x.count()) return false;
    const device::Block newest = cleared(x.backend, x.rows() * static_cast<std::int64_t>(sizeof(std::uint64_t)));
    const std::string unit = std::to_string(itemsize);
    const std::string name = "newest_" + unit;
    const void* found = x.checks.look_by(x.backend, name.c_str(), x.indices, 0, x.rows(),
                                         {address_of(x.values.data), steps.empty() ? 0 : steps[0], address_of(newest.get())});
    launch_library(x.backend, {"put_newest_" + unit}, x.rows(), codegen::kernel_threads,
                   {address_of(newest.get()), address_of(x.out.data), x.rows(), x.out.strides[0], address_of(found)});
    return true;
}

/// Which values are the last ones for their rows, by the rows: the number of the value, plus 1; or, where there are far more rows than values, without
/// memory for each row, by the values: 1, else 0.
struct Last {
    std::optional<device::Block> by_row, by_value;
    const void* found;

    explicit Last(const Scatter& x) {
        constexpr std::int64_t many = 8;
        if (x.rows() / many <= x.count() && x.count() < UINT32_MAX) {
            by_row.emplace(cleared(x.backend, x.rows() * static_cast<std::int64_t>(sizeof(std::uint32_t))));
            found = x.checks.look_by(x.backend, "last_of_place", x.indices, 0, x.rows(), {address_of(by_row->get())});
            return;
        }
        const SortedPlaces sorted(x);
        found = sorted.found;
        by_value.emplace(x.backend, static_cast<std::size_t>(x.count()));
        launch_library(x.backend, {std::string("choose_sorted_") + sorted.width}, x.count(), codegen::kernel_threads,
                       {address_of(sorted.places.get()), x.count(), address_of(sorted.order->get()), address_of(by_value->get()), address_of(found)});
    }
};

// Rows replaced by values.
void put(const Scatter& x) {
    const bool is_one = x.is_one_row_for_all();
    if (!is_one && put_newest(x)) return;
    Points points = x.points();
    const std::int64_t unit = points.close(static_cast<std::int64_t>(itemsize_of(x.out.dtype)),
                                           bits_of(x.values) | bits_of(x.out) | static_cast<std::uint64_t>(x.out.strides[0]));
    if (!points.fit()) return on_copies(x, put);
    std::optional<Last> last;
    if (!is_one) last.emplace(x);
    const auto given = [](const std::optional<device::Block>& block) { return address_of(block ? block->get() : nullptr); };
    LibraryArguments arguments{address_of(x.values.data),
                               address_of(x.indices.data),
                               address_of(x.out.data),
                               last ? given(last->by_value) : 0,
                               last ? given(last->by_row) : 0,
                               address_of(last ? last->found : x.look()),
                               x.rows(),
                               x.out.strides[0],
                               points.count()};
    points.give(arguments);
    launch_library(x.backend, {"put_" + std::to_string(unit)}, points.count(), codegen::kernel_threads, std::move(arguments));
}

// What of whole numbers gives the same in any order, and devices do as one operation on memory.
std::optional<codegen::Join> join_of(ops::Op op, Dtype dtype) {
    using codegen::Join;
    if (!is_integer(dtype) || itemsize_of(dtype) < 4) return {};
    switch (op) {
        case ops::Op::add: return Join::add;
        case ops::Op::subtract: return Join::subtract;
        case ops::Op::maximum:
        case ops::Op::fmax: return Join::maximum;
        case ops::Op::minimum:
        case ops::Op::fmin: return Join::minimum;
        case ops::Op::bitwise_and: return Join::bitwise_and;
        case ops::Op::bitwise_or: return Join::bitwise_or;
        case ops::Op::bitwise_xor: return Join::bitwise_xor;
        default: return {};
    }
}

// Sums for few rows of one element. False: there are too few values for that.
bool join_few(const Scatter& x, codegen::Join by) {
    constexpr std::int64_t many = 8;  // values of a thread, for memory that each block has to set up
    const bool is_sum = by == codegen::Join::add || by == codegen::Join::subtract;
    const auto [numbers, steps] = x.numbers();
    if (!is_sum || !x.has_single_elements() || x.rows() > codegen::shared_sums || numbers.size() > 1 || x.count() < many * codegen::kernel_threads)
        return false;
    const std::int64_t blocks = std::min(x.count() / (many * codegen::kernel_threads), x.backend.blocks_at_once(codegen::kernel_threads));
    const std::string dtype(name_of(x.out.dtype)), name = "join_few_" + dtype;
    const device::Block sums = cleared(x.backend, x.rows() * static_cast<std::int64_t>(itemsize_of(x.out.dtype)));
    const void* found = x.checks.look_by(x.backend, name.c_str(), x.indices, 0, x.rows(),
                                         {address_of(x.values.data), steps.empty() ? 0 : steps[0], address_of(sums.get())}, blocks);
    launch_library(
        x.backend, {"join_sums_" + dtype}, x.rows(), codegen::kernel_threads,
        {address_of(sums.get()), address_of(x.out.data), address_of(found), x.rows(), x.out.strides[0], std::int64_t{by == codegen::Join::add ? 1 : -1}});
    return true;
}

void join(const Scatter& x, codegen::Join by) {
    if (join_few(x, by)) return;
    Points points = x.points();
    points.close_elements();
    if (!points.fit()) return on_copies(x, [by](const Scatter& copied) { join(copied, by); });
    LibraryArguments arguments{address_of(x.values.data), address_of(x.indices.data),    address_of(x.out.data), address_of(x.look()), x.rows(),
                               x.out.strides[0],          static_cast<std::int64_t>(by), points.count()};
    points.give(arguments);
    launch_library(x.backend, {"join_" + std::string(name_of(x.out.dtype))}, points.count(), codegen::kernel_threads, std::move(arguments));
}

// Sums of inexact dtypes for few rows of one element, where some have so many values that these are not added in NumPy's order anyhow: without sorting
// them. False: it is not for these.
bool sum_few(const Scatter& x, ops::Op op) {
    constexpr std::int64_t most_warps = codegen::kernel_threads / 32, least_warps = 2, least_piece = 512, most_parts = 512;
    const std::int64_t rows = x.rows(), of_rows = rows * static_cast<std::int64_t>(itemsize_of(x.out.dtype));
    const auto [numbers, steps] = x.numbers();
    const std::int64_t pieces = std::min(codegen::few_bytes / of_rows, most_warps);
    if (op != ops::Op::add || !is_inexact(x.out.dtype) || !x.has_single_elements() || numbers.size() > 1 || pieces < least_warps ||
        x.count() / rows <= most_in_order)
        return false;
    const auto share = [](std::int64_t count, std::int64_t among) { return (count + among - 1) / among; };
    const std::int64_t parts = std::min(share(x.count(), pieces * least_piece), most_parts), piece = share(x.count(), parts * pieces);
    const std::string dtype(name_of(x.out.dtype));
    const std::string name = "sum_few_" + dtype;
    const device::Block sums(x.backend, static_cast<std::size_t>(parts * of_rows));
    const void* found = x.checks.look_by(x.backend, name.c_str(), x.indices, 0, rows,
                                         {address_of(x.values.data), steps.empty() ? 0 : steps[0], address_of(sums.get()), pieces, piece, parts}, parts);
    launch_library(x.backend, {"sum_few_parts_" + dtype}, share(rows, 32), 1,
                   {address_of(sums.get()), address_of(x.out.data), address_of(found), rows, x.out.strides[0], parts, share(rows, 32)});
    return true;
}

// Rows combined with values: these in the order of their rows, each by a thread, or a warp, that begins its row's.
void combine(const Scatter& x, ops::Op op) {
    constexpr std::size_t row_axes = 2;
    constexpr std::int64_t wide_row = 32;
    if (sum_few(x, op)) return;
    const auto [numbers, number_steps] = x.numbers();
    Shape row(x.out.shape.begin() + 1, x.out.shape.end());
    Strides of_row[] = {Strides(x.values.strides.begin() + static_cast<std::ptrdiff_t>(x.rank()), x.values.strides.end()),
                        Strides(x.out.strides.begin() + 1, x.out.strides.end())};
    shape::collapse(row, of_row);
    if (numbers.size() > 1 || row.size() > row_axes) {
        return on_copies(x, [op](const Scatter& copied) { combine(copied, op); });
    }
    const std::int64_t count = x.count(), elements = shape::count(row), part = ops::is_associative(op) ? most_in_order : count;
    const SortedPlaces sorted(x, true);
    std::optional<device::Block> sums;
    if (count > part) sums.emplace(x.backend, static_cast<std::size_t>((count + part - 1) / part * elements) * itemsize_of(x.out.dtype));
    LibraryArguments arguments{address_of(sorted.places.get()),
                               address_of(sorted.order ? sorted.order->get() : nullptr),
                               address_of(sorted.values ? sorted.values->get() : x.values.data),
                               address_of(x.out.data),
                               address_of(sums ? sums->get() : nullptr),
                               address_of(sorted.found),
                               count,
                               part};
    add_padded(arguments, row, row_axes, 1);
    const auto give_row = [&](std::int64_t stride, const Strides& steps) {
        arguments.push_back(stride);
        add_padded(arguments, steps, row_axes, 0);
    };
    give_row(sorted.values ? sizeof(std::uint32_t) : number_steps.empty() ? 0 : number_steps[0], of_row[0]);
    give_row(x.out.strides[0], of_row[1]);
    const bool is_wide = elements >= wide_row;
    const std::string kind = std::string(sorted.width) + "_" + std::string(name_of(x.out.dtype));
    const codegen::LibraryKernel::Combine by{op, x.out.dtype};
    const std::int64_t workers = count * (is_wide ? 32 : elements);
    launch_library(x.backend, {(is_wide ? "combine_rows_" : "combine_runs_") + kind, by}, workers, codegen::kernel_threads, arguments);
    if (sums) launch_library(x.backend, {(is_wide ? "combine_row_parts_" : "combine_parts_") + kind, by}, workers, codegen::kernel_threads, arguments);
}

}  // namespace

void scatter_on_device(device::Backend& backend, const ir::Attributes& attributes, const View& x, const View& indices, const View& values, const View& out,
                       IndexChecks& checks) {
    if (x.data != out.data) copy_on_device(backend, x, out);
    if (shape::count(indices.shape) == 0) return;
    const Dense dense(backend, indices);
    const Scatter scatter{backend, dense.view(), values, out, checks};
    if (shape::count(out.shape) == 0) {
        scatter.look();
        return;
    }
    if (attributes.ints[0] < 0) return put(scatter);
    const auto op = static_cast<ops::Op>(attributes.ints[0]);
    if (const auto by = join_of(op, out.dtype)) join(scatter, *by);
    else combine(scatter, op);
}

}  // namespace fastnp::plan
