#include "fastnp/detail/direct.h"

#include <algorithm>

#include "api/entry.h"
#include "device/movable.h"
#include "device/registry.h"
#include "plan/launch.h"
#include "plan/profile.h"
#include "shape/strides.h"
#include "trace/recorder.h"

namespace fastnp::detail {

namespace {

constexpr std::int64_t most_bytes = 1 << 16;  // of results: with more, a call's own cost does not show
constexpr std::size_t most_pointers = 64;

bool runs_kernels_alone(const Entry& entry) {
    const plan::Plan& plan = entry.plan;
    return entry.device == nullptr && entry.uncompiled.empty() && !entry.once && entry.captured.empty() && entry.written.empty() && entry.parts.empty() &&
           entry.read_only.empty() && entry.reads.empty() && plan.calls.empty() && plan.given_count == 0 && plan.sizes.bound_count() == 0;
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

std::unique_ptr<Direct> Direct::of(const Engine::Result& served, std::span<const Argument> call) {
    if (served.outcome != Engine::Outcome::ran || served.entry == nullptr || !runs_kernels_alone(*served.entry)) return nullptr;
    auto made = std::make_unique<Direct>();
    made->kept_ = served.kept;
    return made->take(*served.entry, call) ? std::move(made) : nullptr;
}

bool Direct::is_possible() {
    return trace::Recorder::active() == nullptr && device::current_backend() == nullptr && !device::anything_moves() && !plan::is_profiling();
}

bool Direct::take(const Entry& entry, std::span<const Argument> call) {
    entry_ = &entry;
    const plan::Plan& plan = entry.plan;
    values_.resize(std::max<std::size_t>(plan.sizes.size(), 1));
    std::vector<std::int64_t> symbols(std::max<std::size_t>(entry.signature.symbols.size(), 1));
    if (entry.signature.symbols.size() > most_values || !entry.signature.matches(call, entry.signature.key, symbols.data())) return false;
    if (plan.sizes.size() != 0) plan.sizes.evaluate(symbols.data(), values_.data());
    const std::int64_t* const values = values_.data();

    const auto arguments = static_cast<std::int32_t>(call.size());
    std::vector<std::size_t> groups;  // where each begins in the block
    for (const shape::Dim bytes : plan.group_bytes) {
        groups.push_back(block_);
        block_ += (shape::allocatable(plan::value_of(bytes, values)) + 63) / 64 * 64;
    }
    std::vector<Pointer> bases;  // by slot
    std::int64_t result_bytes = 0;
    for (const plan::Slot& slot : plan.slots) {
        if (slot.kind == plan::Slot::Kind::argument) bases.push_back({slot.number, 0});
        else if (slot.kind == plan::Slot::Kind::result) bases.push_back({arguments + slot.number, 0});
        else
            bases.push_back({arguments + plan.result_count,
                             static_cast<std::int64_t>(groups[static_cast<std::size_t>(plan.temporary_group[static_cast<std::size_t>(slot.number)])])});
        if (slot.kind == plan::Slot::Kind::result) result_bytes += plan::value_of(slot.bytes, values);
    }
    if (result_bytes > most_bytes || block_ > most_bytes) return false;

    // Each result is an array of its own, in the order of their memory.
    if (plan.outputs.size() != static_cast<std::size_t>(plan.result_count)) return false;
    for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
        const plan::ViewOf& view = plan.outputs[i];
        const plan::Slot& slot = plan.slots[static_cast<std::size_t>(view.slot)];
        Output output{view.dtype, {}};
        Strides strides;
        for (const shape::Dim dim : view.shape) output.shape.push_back(plan::value_of(dim, values));
        for (const shape::Dim dim : view.strides) strides.push_back(plan::value_of(dim, values));
        const bool is_own =
            slot.kind == plan::Slot::Kind::result && static_cast<std::size_t>(slot.number) == i && plan::value_of(view.offset, values) == 0;
        const bool is_c = is_contiguous(output.shape, strides, itemsize_of(view.dtype), false);
        if (!is_own || (!is_c && !is_contiguous(output.shape, strides, itemsize_of(view.dtype), true))) return false;
        output.is_fortran = !is_c;
        outputs_.push_back(std::move(output));
    }

    for (const plan::Step& step : plan.steps) {
        if (!step.is_kernel || plan.schedules[step.kernel.number].streaming) return false;
        const plan::KernelStep& kernel = step.kernel;
        const std::int64_t units = plan::value_of(kernel.parallel, values);
        if (units * kernel.cost >= plan::parallel_cost) return false;
        if (units > 0) kernels_.push_back({&kernel, units, pointers_.size(), plan::scratch_bytes(kernel, values)});
        for (std::size_t i = 0; units > 0 && i < kernel.slots.size(); ++i) {
            const Pointer base = bases[static_cast<std::size_t>(kernel.slots[i])];
            pointers_.push_back({base.base, base.offset + kernel.offsets[i]});
        }
    }
    return pointers_.size() <= most_pointers;
}

void Direct::run(std::span<void* const> arguments, std::span<void* const> results) const {
    const device::BufferPtr block = block_ == 0 ? nullptr : device::Buffer::allocate(block_);
    const auto base = [&](std::size_t number) {
        if (number < arguments.size()) return static_cast<char*>(arguments[number]);
        number -= arguments.size();
        return static_cast<char*>(number < results.size() ? results[number] : block->data());
    };
    void* pointers[most_pointers];
    for (std::size_t i = 0; i < pointers_.size(); ++i) pointers[i] = base(static_cast<std::size_t>(pointers_[i].base)) + pointers_[i].offset;
    for (const Kernel& each : kernels_) {
        plan::run_units(*each.step, pointers + each.first, values_.data(), 0, each.units, each.scratch);
    }
}

}  // namespace fastnp::detail
