#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/thread_pool.h"
#include "eager/eager.h"
#include "fastnp/error.h"
#include "ops/element.h"
#include "plan/plan.h"

namespace fastnp::plan {

namespace {

// In the units of Schedule::cost, about 0.1 ns each: below the first a kernel is run by the calling thread, and a task is at least the second.
constexpr std::int64_t parallel_cost = 200'000;
constexpr std::int64_t task_cost = 80'000;

std::int64_t value_of(shape::Dim dim, const std::int64_t* values) { return dim.is_constant() ? dim.value() : values[dim.id()]; }

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

std::size_t scratch_bytes(const KernelStep& step, const std::int64_t* values) {
    std::size_t total = 0;
    const auto points = static_cast<std::size_t>(step.scratch.empty() ? 0 : value_of(step.inner_points, values));
    for (const Dtype dtype : step.scratch) total += (points * itemsize_of(dtype) + 63) / 64 * 64;
    return total == 0 ? 0 : total + 64;
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
    const std::int64_t begin = task * launch.per_task;
    const std::int64_t end = std::min(begin + launch.per_task, launch.units);
    void* scratch = launch.scratch == 0 ? nullptr : thread_scratch(launch.scratch);
    launch.step->function(launch.pointers, launch.values, begin, end, scratch);
}

void run_kernel(const KernelStep& step, void* const* bases, const std::int64_t* values) {
    std::array<void*, 64> pointers;
    for (std::size_t i = 0; i < step.slots.size(); ++i) pointers[i] = bases[step.slots[i]];
    const std::int64_t units = value_of(step.parallel, values);
    if (units <= 0) return;
    Launch launch{&step, pointers.data(), values, units, units, scratch_bytes(step, values)};
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

eager::View view_of(const ViewOf& view, void* const* bases, const std::int64_t* values) {
    eager::View result;
    result.dtype = view.dtype;
    result.data = static_cast<char*>(bases[view.slot]) + value_of(view.offset, values);
    for (const shape::Dim dim : view.shape) result.shape.push_back(value_of(dim, values));
    for (const shape::Dim dim : view.strides) result.strides.push_back(value_of(dim, values));
    return result;
}

void run_eager(const EagerStep& step, void* const* bases, const std::int64_t* values) {
    std::vector<eager::View> operands;
    for (const ViewOf& operand : step.operands) operands.push_back(view_of(operand, bases, values));
    ir::Attributes attributes = step.attributes;
    for (shape::Dim& dim : attributes.dims) dim = value_of(dim, values);
    eager::run(step.op, attributes, operands, view_of(step.out, bases, values));
}

}  // namespace

Outcome Plan::run(std::span<void* const> arguments, const std::int64_t* values, std::vector<Result>& results) const {
    SmallVector<void*, 32> bases(slots.size(), nullptr);
    SmallVector<std::size_t, 8> places;
    std::size_t total = 0;
    for (const shape::Dim bytes : group_bytes) {
        places.push_back(total);
        total += static_cast<std::size_t>((value_of(bytes, values) + 63) / 64 * 64);
    }
    const device::BufferPtr temporaries = total != 0 ? device::Buffer::allocate(total) : nullptr;
    std::vector<device::BufferPtr> made(static_cast<std::size_t>(result_count));
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const Slot& slot = slots[i];
        const auto number = static_cast<std::size_t>(slot.number);
        switch (slot.kind) {
            case Slot::Kind::argument: bases[i] = arguments[number]; break;
            case Slot::Kind::temporary:
                bases[i] = temporaries ? static_cast<char*>(temporaries->data()) + places[static_cast<std::size_t>(temporary_group[number])] : nullptr;
                break;
            case Slot::Kind::result:
                made[number] = device::Buffer::allocate(static_cast<std::size_t>(value_of(slot.bytes, values)));
                bases[i] = made[number]->data();
                break;
        }
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (steps[i].is_kernel) {
            run_kernel(steps[i].kernel, bases.data(), values);
            continue;
        }
        if (steps[i].eager.op == ir::Op::expect) {
            const eager::View view = view_of(steps[i].eager.operands[0], bases.data(), values);
            const Scalar found = ops::load(view.dtype, view.data);
            if (!(found == steps[i].expected.scalar)) return {Outcome::Kind::unexpected, steps[i].expected.number, found};
            continue;
        }
        try {
            run_eager(steps[i].eager, bases.data(), values);
        } catch (const MemoryError&) {
            throw;
        } catch (const Error&) {
            if (i < first_write) return {Outcome::Kind::raised};
            throw;
        }
    }
    for (const ViewOf& output : outputs) {
        const Slot& slot = slots[static_cast<std::size_t>(output.slot)];
        Result result;
        result.memory.dtype = output.dtype;
        result.memory.data = static_cast<char*>(bases[static_cast<std::size_t>(output.slot)]) + value_of(output.offset, values);
        for (const shape::Dim dim : output.shape) result.memory.shape.push_back(value_of(dim, values));
        for (const shape::Dim dim : output.strides) result.memory.strides.push_back(value_of(dim, values));
        if (slot.kind == Slot::Kind::argument) result.argument = slot.number;
        else result.memory.buffer = made[static_cast<std::size_t>(slot.number)];
        results.push_back(std::move(result));
    }
    return {};
}

}  // namespace fastnp::plan
