// How a loop's body walks memory by rows: so that turns can be taken by blocks of rows, one after the other while a block is in a near cache.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "plan/plan.h"

namespace fastnp::plan {

/// Bytes by which arrays that are walked side by side begin at different places of a page: else what is loaded would seem to wait for what was stored at
/// the same point.
constexpr std::int64_t set_apart = 640;

/// What a step touches in a memory, counted in rows from its own.
struct Touch {
    int memory;
    std::int64_t low, high;
    bool written;
};

/// A step whose units are the parts of rows.
struct RowStep {
    std::int64_t rows = 0;
    std::int64_t units = 0;  // of a row
    std::int64_t read_bytes = 0;  // of a row, where nothing is written
    bool is_even = true;          // no row is shorter than the others
    std::vector<Touch> touches;
};

/// The rows that a kernel goes over, if it goes over all memory that changes by rows. `memories`: for each of its buffers the memory that it lies in, -1
/// where nothing is written. `row_bytes`: of each memory, 0 where that is not known yet; put in here.
std::optional<RowStep> rows_of(const nest::Kernel& kernel, const nest::Schedule& schedule, const KernelStep& step, std::span<const int> memories,
                               std::vector<std::int64_t>& row_bytes, const std::int64_t* values);

/// How many rows later each step must be than the one before it, so that a block of rows after the other can be done by all steps, in either direction.
std::int64_t shift_of(std::span<const RowStep> steps);

}  // namespace fastnp::plan
