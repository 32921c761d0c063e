#include "fastnp/detail/direct.h"

#include <algorithm>
#include <array>
#include <utility>

#include "api/body.h"
#include "api/entry.h"
#include "device/movable.h"
#include "device/registry.h"
#include "fastnp/detail/timeline.h"
#include "plan/launch.h"
#include "plan/profile.h"
#include "shape/strides.h"
#include "trace/recorder.h"

namespace fastnp::detail {

namespace {

constexpr std::int64_t most_bytes = 1 << 16;  // of results: with more, a call's own cost does not show
constexpr std::size_t most_pointers = 64;
char no_bytes;  // where temporaries lie that have no elements, if all are such

bool runs_kernels_alone(const Entry& entry) {
    const plan::Plan& plan = entry.plan;
    return entry.device == nullptr && entry.uncompiled.empty() && !entry.once && entry.written.empty() && entry.parts.empty() && entry.read_only.empty() &&
           entry.reads.empty() && plan.calls.empty() && plan.given_count == 0 && plan.sizes.bound_count() == 0;
}

bool is_contiguous(const Shape& shape, const Strides& strides, std::size_t itemsize, bool is_fortran) {
    auto step = static_cast<std::int64_t>(itemsize);
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const std::size_t axis = is_fortran ? i : shape.size() - 1 - i;
        if (shape[axis] == 0) return true;
        if (shape[axis] != 1 && strides[axis] != step) return false;
        step *= shape[axis];
    }
    return true;
}

}  // namespace

std::unique_ptr<Direct> Direct::of(const Entry& entry, std::span<const Argument> call) {
    if (!runs_kernels_alone(entry)) return nullptr;
    auto made = std::make_unique<Direct>();
    return made->take(entry, call) ? std::move(made) : nullptr;
}

bool Direct::is_possible() {
    return trace::Recorder::active() == nullptr && device::current_backend() == nullptr && !device::anything_moves() && !plan::is_profiling() &&
           !is_timed();
}

bool Direct::take(const Entry& entry, std::span<const Argument> call) {
    entry_ = &entry;
    const plan::Plan& plan = entry.plan;
    values_.resize(std::max<std::size_t>(plan.sizes.size(), 1));
    std::vector<std::int64_t> symbols(std::max<std::size_t>(entry.signature.symbols.size(), 1));
    if (entry.signature.symbols.size() > most_values || !entry.signature.matches(call, entry.signature.key, symbols.data())) return false;
    if (plan.sizes.size() != 0) plan.sizes.evaluate(symbols.data(), values_.data());
    std::vector<std::int32_t> output_of(static_cast<std::size_t>(plan.result_count), -1);
    for (const device::Memory& memory : entry.captured) captured_.push_back(memory.data);
    return take_outputs(plan, output_of) && take_kernels(plan, take_memory(plan, static_cast<std::int32_t>(call.size() + captured_.size()), output_of)) &&
           result_bytes_ <= most_bytes && block_ <= most_bytes && pointers_.size() <= most_pointers && outputs_.size() <= most_pointers;
}

// Each result is an array of its own. `output_of`: by the number of its memory.
bool Direct::take_outputs(const plan::Plan& plan, std::span<std::int32_t> output_of) {
    if (plan.outputs.size() != output_of.size()) return false;
    const std::int64_t* const values = values_.data();
    for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
        const plan::ViewOf& view = plan.outputs[i];
        const plan::Slot& slot = plan.slots[static_cast<std::size_t>(view.slot)];
        if (slot.kind != plan::Slot::Kind::result || plan::value_of(view.offset, values) != 0) return false;
        if (std::exchange(output_of[static_cast<std::size_t>(slot.number)], static_cast<std::int32_t>(i)) >= 0) return false;
        Output output{view.dtype, {}, {}};
        for (const shape::Dim dim : view.shape) output.shape.push_back(plan::value_of(dim, values));
        for (const shape::Dim dim : view.strides) output.strides.push_back(plan::value_of(dim, values));
        const bool is_c = is_contiguous(output.shape, output.strides, itemsize_of(view.dtype), false);
        if (!is_c && !is_contiguous(output.shape, output.strides, itemsize_of(view.dtype), true)) return false;
        const auto bytes = static_cast<std::int64_t>(shape::byte_count(output.shape, itemsize_of(view.dtype)));
        if (plan::value_of(slot.bytes, values) != bytes) return false;  // a part of what kernels write to
        output.is_fortran = !is_c;
        outputs_.push_back(std::move(output));
        result_bytes_ += bytes;
    }
    return true;
}

// Where each slot of the plan lies.
std::vector<Direct::Pointer> Direct::take_memory(const plan::Plan& plan, std::int32_t arguments, std::span<const std::int32_t> output_of) {
    std::vector<std::size_t> groups;  // where each begins in the block
    for (const shape::Dim bytes : plan.group_bytes) {
        groups.push_back(block_);
        block_ += (shape::allocatable(plan::value_of(bytes, values_.data())) + 63) / 64 * 64;
    }
    std::vector<Pointer> bases;
    for (const plan::Slot& slot : plan.slots) {
        const auto number = static_cast<std::size_t>(slot.number);
        if (slot.kind == plan::Slot::Kind::argument) bases.push_back({slot.number, 0});
        else if (slot.kind == plan::Slot::Kind::result) bases.push_back({arguments + output_of[number], 0});
        else bases.push_back({arguments + plan.result_count, static_cast<std::int64_t>(groups[static_cast<std::size_t>(plan.temporary_group[number])])});
    }
    return bases;
}

bool Direct::take_kernels(const plan::Plan& plan, std::span<const Pointer> bases) {
    for (const plan::Step& step : plan.steps) {
        if (!step.is_kernel || plan.schedules[step.kernel.number].streaming) return false;
        const plan::KernelStep& kernel = step.kernel;
        const std::int64_t units = plan::value_of(kernel.parallel, values_.data());
        if (units * kernel.cost >= plan::parallel_cost) return false;
        if (units > 0) kernels_.push_back({&kernel, units, pointers_.size(), plan::scratch_bytes(kernel, values_.data())});
        for (std::size_t i = 0; units > 0 && i < kernel.slots.size(); ++i) {
            const Pointer base = bases[static_cast<std::size_t>(kernel.slots[i])];
            pointers_.push_back({base.base, base.offset + kernel.offsets[i]});
        }
    }
    return true;
}

void Direct::run(std::span<void* const> arguments, std::span<void* const> results) const {
    const device::BufferPtr block = block_ == 0 ? nullptr : device::Buffer::allocate(block_);
    const auto base = [&](std::size_t number) {
        if (number < arguments.size()) return static_cast<char*>(arguments[number]);
        number -= arguments.size();
        if (number < captured_.size()) return static_cast<char*>(captured_[number]);
        number -= captured_.size();
        if (number < results.size()) return static_cast<char*>(results[number]);
        return block ? static_cast<char*>(block->data()) : &no_bytes;
    };
    void* pointers[most_pointers];
    for (std::size_t i = 0; i < pointers_.size(); ++i) pointers[i] = base(static_cast<std::size_t>(pointers_[i].base)) + pointers_[i].offset;
    for (const Kernel& each : kernels_) {
        plan::run_units(*each.step, pointers + each.first, values_.data(), 0, each.units, each.scratch);
    }
}

void Direct::run(std::span<void* const> arguments, std::vector<array>& results) const {
    std::array<void*, most_pointers> memory_of;
    std::size_t count = 0;
    for (const Output& output : outputs_) {
        device::Memory memory;
        memory.buffer = device::Buffer::allocate(shape::byte_count(output.shape, itemsize_of(output.dtype)));
        memory.data = memory_of[count++] = memory.buffer->data();
        memory.dtype = output.dtype;
        memory.shape = output.shape;
        memory.strides = output.strides;
        results.push_back(api::wrap(std::move(memory)));
    }
    run(arguments, std::span<void* const>(memory_of.data(), count));
}

}  // namespace fastnp::detail
