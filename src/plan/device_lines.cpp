#include "plan/device_lines.h"

#include <algorithm>
#include <optional>
#include <string>

#include "device/block.h"
#include "plan/device_dense.h"
#include "plan/library_launch.h"
#include "shape/strides.h"

namespace fastnp::plan {

using eager::View;

namespace {

constexpr std::size_t line_axes = 3;  // that kernels number lines along

/// The lines of an array along an axis, and where a result that has not this axis has theirs.
struct Lines {
    std::int64_t count, stride;  // of a line
    Shape shape;
    Strides steps[2];

    Lines(const View& x, const View& out, std::size_t axis) : count(x.shape[axis]), stride(x.strides[axis]) {
        for (std::size_t i = 0; i < x.shape.size(); ++i) {
            if (i == axis) continue;
            shape.push_back(x.shape[i]);
            steps[0].push_back(x.strides[i]);
            steps[1].push_back(out.strides[i < axis ? i : i - 1]);
        }
        shape::collapse(shape, steps);
    }
};

void add_padded(LibraryArguments& arguments, const SmallVector<std::int64_t>& values, std::int64_t otherwise) {
    for (std::size_t i = values.size(); i < line_axes; ++i) arguments.push_back(otherwise);
    for (const std::int64_t value : values) arguments.push_back(value);
}

/// How a line is shared among threads: a thread for lines that are short, or many that lie side by side; a warp; a block; several blocks.
struct Shares {
    std::int64_t team = codegen::kernel_threads, parts = 1;

    Shares(device::Backend& backend, const Lines& lines, std::int64_t itemsize) {
        constexpr std::int64_t short_line = 32, middle_line = 2048, least_part = 4096;
        const std::int64_t number = shape::count(lines.shape), busy = backend.blocks_at_once(codegen::kernel_threads);
        const bool side_by_side = lines.stride != itemsize && number >= busy * codegen::kernel_threads / 4;
        if (lines.count <= short_line || side_by_side) team = 1;
        else if (lines.count <= middle_line) team = 32;
        else parts = std::clamp<std::int64_t>(busy / std::max<std::int64_t>(number, 1), 1, (lines.count + least_part - 1) / least_part);
    }
};

}  // namespace

void argfold_on_device(device::Backend& backend, ops::Op op, const ir::Attributes& attributes, const View& x, const View& out) {
    const auto axis = static_cast<std::size_t>(attributes.ints[0]);
    const auto itemsize = static_cast<std::int64_t>(itemsize_of(x.dtype));
    const Lines lines(x, out, axis);
    if (lines.shape.size() > line_axes) {
        // Contiguous arrays have two: before the axis, and behind.
        const Dense dense(backend, x);
        const DenseResult result(backend, out);
        argfold_on_device(backend, op, attributes, dense.view(), result.view());
        result.finish();
        return;
    }
    const codegen::LibraryKernel kernel{"argfold_" + std::string(name_of(x.dtype))};
    const std::int64_t number = shape::count(lines.shape), greatest = op == ops::Op::argmax ? 1 : 0;
    constexpr std::int64_t index_bytes = sizeof(std::int64_t);
    const Shares shares(backend, lines, itemsize);
    const std::int64_t length = (lines.count + shares.parts - 1) / shares.parts;
    const std::int64_t parts = (lines.count + length - 1) / length;  // none is empty
    const auto run = [&](const void* candidates, const View& to, const Strides& steps, std::int64_t team, std::int64_t count, std::int64_t of_line,
                         std::int64_t part_length) {
        LibraryArguments arguments{
            address_of(x.data), address_of(candidates), address_of(to.data), greatest, team, count, lines.stride, of_line, part_length,
            index_bytes,        number * of_line};
        LibraryArguments shape;
        add_padded(shape, lines.shape, 1);
        arguments.push_back(shape[1]);
        arguments.push_back(shape[2]);
        add_padded(arguments, lines.steps[0], 0);
        add_padded(arguments, steps, 0);
        launch_library(backend, kernel, number * of_line, codegen::kernel_threads / team, std::move(arguments));
    };
    if (parts == 1) return run(nullptr, out, lines.steps[1], shares.team, lines.count, 1, lines.count);
    const device::Block best(backend, static_cast<std::size_t>(number * parts * index_bytes));
    const View places{best.get(), Dtype::int64, {}, {}};
    Strides steps = shape::c_strides(lines.shape, static_cast<std::size_t>(parts * index_bytes));
    run(nullptr, places, steps, shares.team, lines.count, parts, length);
    run(best.get(), out, lines.steps[1], 32, parts, 1, parts);
}

}  // namespace fastnp::plan
