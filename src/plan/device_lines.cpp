#include "plan/device_lines.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "device/block.h"
#include "ops/catalogue.h"
#include "plan/device_dense.h"
#include "plan/device_radix.h"
#include "plan/device_select.h"
#include "plan/library_launch.h"
#include "shape/strides.h"

namespace fastnp::plan {

using eager::View;

namespace {

constexpr std::size_t line_axes = 3;  // that kernels number lines along
constexpr std::int64_t index_bytes = sizeof(std::int64_t);
constexpr std::int64_t short_line = 32;  // at most; done by a thread

std::int64_t parts_of(std::int64_t count, std::int64_t part) { return (count + part - 1) / part; }
std::int64_t itemsize_in(const View& x) { return static_cast<std::int64_t>(itemsize_of(x.dtype)); }

/// The lines of an array along an axis, and of a result, which has the axis, too, or not.
struct Lines {
    std::int64_t count, stride, out_stride = 0;  // of a line
    Shape shape;
    Strides steps[2];

    Lines(const View& x, const View& out, std::size_t axis) : count(x.shape[axis]), stride(x.strides[axis]) {
        const bool has_axis = out.shape.size() == x.shape.size();
        if (has_axis) out_stride = out.strides[axis];
        for (std::size_t i = 0; i < x.shape.size(); ++i) {
            if (i == axis) continue;
            shape.push_back(x.shape[i]);
            steps[0].push_back(x.strides[i]);
            steps[1].push_back(out.strides[i < axis || has_axis ? i : i - 1]);
        }
        shape::collapse(shape, steps);
    }

    bool fit() const { return shape.size() <= line_axes; }
    std::int64_t number() const { return shape::count(shape); }
    // Whether neighbouring threads had best take neighbouring lines, each one of its own.
    bool are_threads(device::Backend& backend, std::int64_t itemsize) const {
        const bool side_by_side = stride != itemsize && number() >= backend.blocks_at_once(codegen::kernel_threads) * codegen::kernel_threads / 4;
        return count <= short_line || side_by_side;
    }

    // The sizes of all axes but the first, then the steps of x and of the result.
    void give(LibraryArguments& arguments, const Strides& of_out) const {
        LibraryArguments sizes;
        add_padded(sizes, shape, line_axes, 1);
        for (std::size_t i = 1; i < line_axes; ++i) arguments.push_back(sizes[i]);
        add_padded(arguments, steps[0], line_axes, 0);
        add_padded(arguments, of_out, line_axes, 0);
    }
};

/// How a line is shared among threads: a thread, a warp, a block, several blocks.
struct Shares {
    std::int64_t team = codegen::kernel_threads, parts = 1;

    Shares(device::Backend& backend, const Lines& lines, std::int64_t itemsize) {
        constexpr std::int64_t middle_line = 2048, least_part = 4096;
        const std::int64_t number = std::max<std::int64_t>(lines.number(), 1);
        if (lines.are_threads(backend, itemsize)) team = 1;
        else if (lines.count <= middle_line) team = 32;
        else parts = std::clamp<std::int64_t>(backend.blocks_at_once(codegen::kernel_threads) / number, 1, (lines.count + least_part - 1) / least_part);
    }
};

// An op along an axis that is done on contiguous copies, whose lines lie along two axes: before the axis, and behind.
template <class F>
void on_copies(device::Backend& backend, const View& x, const View& out, F run) {
    const Dense dense(backend, x);
    const DenseResult result(backend, out);
    run(dense.view(), result.view());
    result.finish();
}

}  // namespace

void argfold_on_device(device::Backend& backend, ops::Op op, const ir::Attributes& attributes, const View& x, const View& out) {
    const Lines lines(x, out, static_cast<std::size_t>(attributes.ints[0]));
    if (!lines.fit()) {
        return on_copies(backend, x, out, [&](const View& from, const View& to) { argfold_on_device(backend, op, attributes, from, to); });
    }
    const codegen::LibraryKernel kernel{"argfold_" + std::string(name_of(x.dtype))};
    const std::int64_t number = lines.number(), greatest = op == ops::Op::argmax ? 1 : 0;
    const Shares shares(backend, lines, itemsize_in(x));
    const std::int64_t length = (lines.count + shares.parts - 1) / shares.parts, parts = (lines.count + length - 1) / length;  // none is empty
    const auto run = [&](const void* candidates, void* to, const Strides& steps, std::int64_t team, std::int64_t count, std::int64_t of_line,
                         std::int64_t part_length) {
        LibraryArguments arguments{address_of(x.data), address_of(candidates), address_of(to), greatest, team, count, lines.stride, of_line, part_length,
                                   index_bytes,        number * of_line};
        lines.give(arguments, steps);
        launch_library(backend, kernel, number * of_line, codegen::kernel_threads / team, std::move(arguments));
    };
    if (parts == 1) return run(nullptr, out.data, lines.steps[1], shares.team, lines.count, 1, lines.count);
    const device::Block best(backend, static_cast<std::size_t>(number * parts * index_bytes));
    run(nullptr, best.get(), shape::c_strides(lines.shape, static_cast<std::size_t>(parts * index_bytes)), shares.team, lines.count, parts, length);
    run(best.get(), out.data, lines.steps[1], 32, parts, 1, parts);
}

namespace {

// The last one of each line's results alone, of lines that many threads share: all of them, then a copy.
void keep_last(device::Backend& backend, const ir::Attributes& attributes, const View& x, const View& out) {
    const auto axis = static_cast<std::size_t>(attributes.ints[0]);
    const device::Block all(backend, shape::byte_count(x.shape, itemsize_of(x.dtype)));
    View results{all.get(), x.dtype, x.shape, shape::c_strides(x.shape, itemsize_of(x.dtype))};
    ir::Attributes each = attributes;
    each.ints[2] = 0;
    scan_on_device(backend, ops::Op::accumulate, each, x, results);
    results.data = all.get() + (x.shape[axis] - 1) * results.strides[axis];
    results.shape[axis] = 1;
    copy_on_device(backend, results, out);
}

}  // namespace

void scan_on_device(device::Backend& backend, ops::Op op, const ir::Attributes& attributes, const View& x, const View& out) {
    Lines lines(x, out, static_cast<std::size_t>(attributes.ints[0]));
    const bool last_alone = op == ops::Op::accumulate && attributes.ints[2] != 0;
    if (last_alone) lines.out_stride = 0;  // each result is written over the one before
    if (!lines.fit()) {
        return on_copies(backend, x, out, [&](const View& from, const View& to) { scan_on_device(backend, op, attributes, from, to); });
    }
    const std::string dtype(name_of(x.dtype));
    const ops::Op joins = ops::joined_by(op, attributes);
    const codegen::LibraryKernel::Combine by{joins, x.dtype};
    const std::size_t itemsize = itemsize_of(x.dtype);
    const auto run = [&](const char* kernel, std::int64_t units, std::int64_t units_of_block, LibraryArguments arguments) {
        lines.give(arguments, lines.steps[1]);
        launch_library(backend, {kernel + dtype, by}, units, units_of_block, std::move(arguments));
    };
    const auto run_lines = [&](const char* kernel, std::int64_t lines_of_block) {
        run(kernel, lines.number(), lines_of_block,
            {address_of(x.data), address_of(out.data), lines.count, lines.stride, lines.out_stride, lines.number()});
    };
    const bool is_ordered = !ops::is_associative(joins);
    if (is_ordered || lines.are_threads(backend, itemsize_in(x))) return run_lines("scan_lines_", codegen::kernel_threads);
    if (last_alone) return keep_last(backend, attributes, x, out);
    if (lines.count <= codegen::scan_of_warp(itemsize)) return run_lines("scan_pieces_", codegen::kernel_threads / 32);
    const std::int64_t tiles = parts_of(lines.count, codegen::scan_tile(itemsize)), units = lines.number() * tiles;
    std::optional<device::Block> words;  // the next tile's number, and what blocks tell each other, see kernels/scan.cpp
    if (tiles > 1) {
        const std::int64_t groups = parts_of(tiles, 32), told = units + lines.number() * (groups + parts_of(groups, 32));
        const std::size_t bytes = static_cast<std::size_t>(1 + told * std::max<std::int64_t>(itemsize_in(x) / 4, 1)) * sizeof(std::uint64_t);
        backend.clear(words.emplace(backend, bytes).get(), bytes);
    }
    run("scan_tiles_", units, 1,
        {address_of(x.data), address_of(out.data), address_of(words ? words->get() : nullptr), lines.count, lines.stride, lines.out_stride, tiles, units});
}

namespace {

/// Lines one behind the other, sorted. Elements and places go back and forth between what they are to end in and memory besides.
class Sorter {
public:
    Sorter(device::Backend& backend, const View& x)
        : backend_(backend),
          x_(x),
          length_(x.shape.back()),
          tiles_((length_ + codegen::sort_tile - 1) / codegen::sort_tile),
          units_(shape::count(x.shape) / length_ * tiles_) {
        for (std::int64_t width = codegen::sort_tile; width < length_; width *= 2) ++passes_;
    }

    void run(void* elements, void* places) {
        const std::size_t count = static_cast<std::size_t>(shape::count(x_.shape));
        std::optional<device::Block> held[2];
        if (passes_ > 0) held[0].emplace(backend_, count * itemsize_of(x_.dtype));
        if (passes_ > 0 && places != nullptr) held[1].emplace(backend_, count * static_cast<std::size_t>(index_bytes));
        // The last pass ends where it should.
        const auto side = [&](int pass, void* last, const std::optional<device::Block>& other) -> void* {
            return (passes_ - pass) % 2 == 0 ? last : other->get();
        };
        const bool is_ordered = places != nullptr;
        const std::string dtype(name_of(x_.dtype)), kind = is_ordered ? "argsort" : "sort";
        LibraryArguments tiles{address_of(x_.data), address_of(side(0, elements, held[0]))};
        if (is_ordered) tiles.push_back(address_of(side(0, places, held[1])));
        launch(kind + "_tiles_" + dtype, tiles, {length_, tiles_, units_});
        std::int64_t width = codegen::sort_tile;
        for (int pass = 1; pass <= passes_; ++pass, width *= 2) {
            LibraryArguments merge{address_of(side(pass - 1, elements, held[0]))};
            if (is_ordered) merge.push_back(address_of(side(pass - 1, places, held[1])));
            merge.push_back(address_of(side(pass, elements, held[0])));
            if (is_ordered) merge.push_back(address_of(side(pass, places, held[1])));
            launch(kind + "_merge_" + dtype, merge, {length_, width, tiles_, units_});
        }
    }

private:
    void launch(const std::string& name, LibraryArguments arguments, std::initializer_list<std::int64_t> numbers) {
        for (const std::int64_t number : numbers) arguments.push_back(number);
        launch_library(backend_, {name}, units_, 1, std::move(arguments));
    }

    device::Backend& backend_;
    const View& x_;
    std::int64_t length_, tiles_, units_;
    int passes_ = 0;
};

// With an axis as the last one.
View with_last(const View& x, std::size_t axis) {
    View moved = x;
    moved.shape.erase(moved.shape.begin() + static_cast<std::ptrdiff_t>(axis));
    moved.strides.erase(moved.strides.begin() + static_cast<std::ptrdiff_t>(axis));
    moved.shape.push_back(x.shape[axis]);
    moved.strides.push_back(x.strides[axis]);
    return moved;
}

}  // namespace

namespace {

// Elements from one on of sorted lines, so many.
void sort_part(device::Backend& backend, const View& x, std::int64_t first, const View& out) {
    if (is_selected(x, out.shape.back())) return select_on_device(backend, x, first, out);
    const device::Block elements(backend, shape::byte_count(x.shape, itemsize_of(x.dtype)));
    if (is_sorted_by_radix(x)) radix_sort(backend, x, elements.get(), nullptr);
    else Sorter(backend, x).run(elements.get(), nullptr);
    View part = out;
    part.data = elements.get() + first * itemsize_in(x);
    part.strides = x.strides;
    copy_on_device(backend, part, out);
}

}  // namespace

void sort_with_order(device::Backend& backend, const View& x, void* elements, void* places) {
    if (is_sorted_by_radix(x)) return radix_sort(backend, x, elements, static_cast<std::int64_t*>(places));
    Sorter(backend, x).run(elements, places);
}

void sort_on_device(device::Backend& backend, ops::Op op, const ir::Attributes& attributes, const View& x, const View& out) {
    const auto axis = static_cast<std::size_t>(attributes.ints[0]);
    const View lines = with_last(x, axis), sorted = with_last(out, axis);
    on_copies(backend, lines, sorted, [&](const View& from, const View& to) {
        if (!attributes.dims.empty()) return sort_part(backend, from, attributes.dims[0].value(), to);
        if (is_sorted_by_radix(from)) {
            if (op == ops::Op::sort) radix_sort(backend, from, to.data, nullptr);
            else radix_sort(backend, from, nullptr, static_cast<std::int64_t*>(to.data));
            return;
        }
        if (op == ops::Op::sort) return Sorter(backend, from).run(to.data, nullptr);
        const device::Block elements(backend, shape::byte_count(from.shape, itemsize_of(from.dtype)));
        Sorter(backend, from).run(elements.get(), to.data);
    });
}

void search_on_device(device::Backend& backend, const ir::Attributes& attributes, const View& sorted, const View& values, const View& out) {
    const Dense keys(backend, sorted);
    on_copies(backend, values, out, [&](const View& from, const View& to) {
        const std::int64_t count = from.shape.back(), lines = shape::count(from.shape) / count,
                           parts = (count + codegen::search_tile - 1) / codegen::search_tile;
        // A block looks at some elements of a line before it begins, so no more blocks than are busy at a time.
        launch_library(backend, {"searchsorted_" + std::string(name_of(from.dtype))},
                       std::min(lines * parts, backend.blocks_at_once(codegen::kernel_threads)), 1,
                       {address_of(keys.view().data), address_of(from.data), address_of(to.data), sorted.shape.back(), count, attributes.ints[0], parts,
                        lines * parts});
    });
}

}  // namespace fastnp::plan
