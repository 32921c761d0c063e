#include "plan/rows.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "nest/axes.h"
#include "plan/launch.h"

namespace fastnp::plan {

namespace {

std::int64_t floor_of(std::int64_t x, std::int64_t y) { return x / y - (x % y < 0 ? 1 : 0); }

// The rows of an axis: its steps, or groups or blocks of them.
struct Rows {
    std::size_t axis;
    std::int64_t steps;  // of the axis, in a row
    std::int64_t count;
};

std::optional<Rows> find_rows(const nest::Kernel& kernel, const nest::Schedule& schedule, const std::int64_t* values) {
    const std::vector<std::size_t> axes = nest::unit_axes(kernel, schedule);
    if (axes.empty() || kernel.block != 0) return std::nullopt;
    const std::size_t axis = axes[0];
    const std::int64_t extent = value_of(kernel.axes[axis].extent, values);
    std::int64_t steps = schedule.unroll_axis == static_cast<int>(axis) ? schedule.unroll : 1;
    if (schedule.lane == static_cast<int>(axis)) steps = schedule.lane_block;
    return Rows{axis, steps, (extent + steps - 1) / steps};
}

struct Bytes {
    std::int64_t first, last;
};

// What is touched of a buffer by one row, from where the row begins.
Bytes bytes_of(const nest::Kernel& kernel, const nest::Access& access, const Rows& rows, const std::int64_t* values) {
    Bytes bytes{value_of(access.offset, values), value_of(access.offset, values)};
    for (std::size_t a = 0; a < kernel.axes.size(); ++a) {
        const std::int64_t steps = a == rows.axis ? rows.steps : value_of(kernel.axes[a].extent, values);
        const std::int64_t span = value_of(access.strides[a], values) * (steps - 1);
        (span < 0 ? bytes.first : bytes.last) += span;
    }
    bytes.last += static_cast<std::int64_t>(itemsize_of(kernel.buffers[static_cast<std::size_t>(access.buffer)].dtype)) - 1;
    return bytes;
}

}  // namespace

std::optional<RowStep> rows_of(const nest::Kernel& kernel, const nest::Schedule& schedule, const KernelStep& step, std::span<const int> memories,
                               std::vector<std::int64_t>& row_bytes, const std::int64_t* values) {
    const std::optional<Rows> rows = find_rows(kernel, schedule, values);
    const std::int64_t units = value_of(step.parallel, values);
    if (!rows || rows->count <= 0 || units % rows->count != 0) return std::nullopt;
    RowStep result{
        .rows = rows->count, .units = units / rows->count, .is_even = value_of(kernel.axes[rows->axis].extent, values) == rows->count * rows->steps};
    std::vector<std::int64_t> read(memories.size(), 0);
    bool by_rows = true;
    nest::for_each_use(kernel, [&](const nest::Access& access, nest::Use use) {
        const auto buffer = static_cast<std::size_t>(access.buffer);
        const std::int64_t own = value_of(access.strides[rows->axis], values) * rows->steps;
        if (memories[buffer] < 0) {
            read[buffer] = std::abs(own);
            return;
        }
        std::int64_t& row = row_bytes[static_cast<std::size_t>(memories[buffer])];
        if (row == 0) row = own;
        by_rows = by_rows && own > 0 && own == row;
        if (!by_rows) return;
        const Bytes bytes = bytes_of(kernel, access, *rows, values);
        const std::int64_t offset = step.offsets[buffer];
        result.touches.push_back({memories[buffer], floor_of(offset + bytes.first, row), floor_of(offset + bytes.last, row), use == nest::Use::store});
    });
    if (!by_rows) return std::nullopt;
    result.read_bytes = std::accumulate(read.begin(), read.end(), std::int64_t{0});
    return result;
}

std::int64_t shift_of(std::span<const RowStep> steps) {
    struct Reach {
        std::int64_t low = 0, high = 0;
        bool any = false;
        void add(const Touch& touch) {
            low = any ? std::min(low, touch.low) : touch.low;
            high = any ? std::max(high, touch.high) : touch.high;
            any = true;
        }
    };
    std::vector<std::pair<Reach, Reach>> reaches;  // by memory: of all that touch it, and of those that write
    for (const RowStep& step : steps) {
        for (const Touch& touch : step.touches) {
            if (reaches.size() <= static_cast<std::size_t>(touch.memory)) reaches.resize(static_cast<std::size_t>(touch.memory) + 1);
            auto& [all, written] = reaches[static_cast<std::size_t>(touch.memory)];
            all.add(touch);
            if (touch.written) written.add(touch);
        }
    }
    std::int64_t shift = 0;
    for (const auto& [all, written] : reaches) {
        if (written.any) shift = std::max({shift, all.high - written.low, written.high - all.low});
    }
    return shift;
}

}  // namespace fastnp::plan
