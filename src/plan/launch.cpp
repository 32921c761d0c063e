#include "plan/launch.h"

#include <algorithm>
#include <cstdlib>

#include "base/thread_pool.h"
#include "fastnp/detail/timeline.h"
#include "fastnp/error.h"

namespace fastnp::plan {

namespace {

constexpr std::int64_t task_cost = 80'000;  // a task is at least this
// Of a device, blocks end at different times, and kernels that take many registers have fewer at once: with several rounds a multiprocessor finds others.
constexpr std::int64_t rounds = 32;

// Memory private to a thread, kept from call to call.
void* thread_scratch(std::size_t bytes) {
    struct Scratch {
        void* data = nullptr;
        std::size_t size = 0;
        ~Scratch() { std::free(data); }
    };
    thread_local Scratch held;
    if (bytes > held.size) {
        std::free(held.data);
        held.size = (bytes + 4095) / 4096 * 4096;
        held.data = std::aligned_alloc(64, held.size);
        if (held.data == nullptr) {
            held.size = 0;
            throw MemoryError("Unable to allocate scratch memory for a kernel");
        }
    }
    return held.data;
}

struct Launch {
    const KernelStep* step;
    void* const* pointers;
    const std::int64_t* values;
    std::int64_t units, per_task;
    std::size_t scratch;
};

void run_task(void* context, std::int64_t task, int /*worker*/) {
    const Launch& launch = *static_cast<const Launch*>(context);
    const detail::TimelineSpan span("task", "part of a kernel");
    const std::int64_t begin = task * launch.per_task;
    const std::int64_t end = std::min(begin + launch.per_task, launch.units);
    run_units(*launch.step, launch.pointers, launch.values, begin, end, launch.scratch);
}

}  // namespace

std::size_t scratch_bytes(const KernelStep& step, const std::int64_t* values) {
    std::size_t total = 0;
    const auto points = static_cast<std::size_t>(step.scratch.empty() ? 0 : value_of(step.inner_points, values));
    for (const Dtype dtype : step.scratch) total += (points * itemsize_of(dtype) + 63) / 64 * 64;
    return total == 0 ? 0 : total + 64;
}

void run_units(const KernelStep& step, void* const* pointers, const std::int64_t* values, std::int64_t begin, std::int64_t end, std::size_t scratch) {
    void* const own = scratch == 0 ? nullptr : thread_scratch(scratch);
    if (step.interpreted) step.interpreted->run(pointers, values, begin, end, own);
    else step.function(pointers, values, begin, end, own);
}

void launch(const KernelStep& step, void* const* pointers, const std::int64_t* values) {
    const std::int64_t units = value_of(step.parallel, values);
    if (units <= 0) return;
    Launch launch{&step, pointers, values, units, units, scratch_bytes(step, values)};
    const std::int64_t cost = units * step.cost;
    const int threads = base::thread_count();
    if (cost < parallel_cost || threads == 1 || units == 1) {
        run_task(&launch, 0, 0);
        return;
    }
    const std::int64_t tasks = std::clamp<std::int64_t>(cost / task_cost, 1, std::min<std::int64_t>(units, threads * 16));
    launch.per_task = (units + tasks - 1) / tasks;
    base::parallel_for((units + launch.per_task - 1) / launch.per_task, &run_task, &launch);
}

std::int64_t blocks_for(device::Backend& backend, const nest::Grid& grid, std::int64_t units) {
    const std::int64_t each = grid.units_of_block();
    return std::min((units + each - 1) / each, rounds * backend.blocks_at_once(grid.block));
}

void launch(device::Backend& backend, const device::Module& module, std::size_t kernel, const nest::Grid& grid, std::int64_t units,
            std::span<void* const> arguments) {
    const detail::TimelineSpan span("launch", "launch");
    backend.launch(module, kernel, blocks_for(backend, grid, units), grid.block, arguments);
}

}  // namespace fastnp::plan
