#include "plan/device_run.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "device/block.h"
#include "device/movable.h"
#include "eager/eager.h"
#include "fastnp/error.h"
#include "ops/element.h"
#include "plan/launch.h"
#include "plan/steps.h"
#include "shape/strides.h"

namespace fastnp::plan {

namespace {

// What an array shows, in bytes from its first element.
struct Span {
    std::int64_t first = 0, end = 0;
    std::size_t bytes() const { return static_cast<std::size_t>(end - first); }
};

Span span_of(const device::Memory& memory) {
    const Shape& shape = memory.shape;
    Span span{0, static_cast<std::int64_t>(itemsize_of(memory.dtype))};
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] == 0) return {0, 0};
        const std::int64_t way = (shape[i] - 1) * memory.strides[i];
        (way < 0 ? span.first : span.end) += way;
    }
    return span;
}

eager::View shown(const device::Memory& memory) { return {memory.data, memory.dtype, memory.shape, memory.strides}; }

class DeviceRun : public Steps<DeviceRun> {
public:
    DeviceRun(const Plan& plan, std::span<void* const> arguments, std::span<const Placed> placed, std::int64_t* values, trace::Caller& caller)
        : Steps(plan, values, caller),
          backend_(*plan.on_device.backend),
          arguments_(arguments),
          placed_(placed),
          bases_(plan.slots.size(), nullptr),
          made_(static_cast<std::size_t>(plan.result_count)) {
        for (std::size_t i = 0; i < plan.slots.size(); ++i) {
            if (plan.slots[i].kind == Slot::Kind::argument && !plan.slots[i].by_value)
                bases_[i] = argument(static_cast<std::size_t>(plan.slots[i].number));
        }
        allocate(0);
    }

    void take(std::vector<Result>& results);
    void copy_back();

    void launch(const KernelStep& step);
    void compute(const Step& step);
    Scalar element(const ViewOf& of);
    std::vector<device::Memory> operands(const Step& step);
    void hold(int slot, const device::Memory& memory);
    void allocate(int stage);

private:
    using Given = SmallVector<std::int64_t, 64>;  // to a kernel

    // An array's memory on the host, with what the device has in it.
    struct Copy {
        std::vector<char> bytes;
        device::Memory memory;
        Span span;
    };

    char* hold(std::shared_ptr<void> there) { return static_cast<char*>(there_.emplace_back(std::move(there)).get()); }
    char* argument(std::size_t number);
    const void* argument_at(int slot) const { return arguments_[static_cast<std::size_t>(plan_.slots[static_cast<std::size_t>(slot)].number)]; }
    void give_element(int slot, const nest::Buffer& buffer, Given& given) const;
    void* address_of(const ViewOf& view) const { return bases_[static_cast<std::size_t>(view.slot)] + value_of(view.offset, values_); }
    Copy copy_of(const ViewOf& view);
    void upload(const ViewOf& view, const Copy& copy);
    std::vector<Copy> copies_of(const std::vector<ViewOf>& views);

    device::Backend& backend_;
    std::span<void* const> arguments_;
    std::span<const Placed> placed_;
    std::vector<char*> bases_;                     // by slot, on the device
    std::vector<std::shared_ptr<void>> there_;     // what movable memory has there, which others may move away meanwhile
    std::vector<device::BufferPtr> made_;          // results
    std::vector<device::Block> blocks_;                    // temporaries, and what calls and loops gave
    std::map<std::size_t, device::Block> copied_;          // arguments that are not movable
    std::map<int, device::BufferPtr> held_;        // what calls and loops gave, where it is a result
};

char* DeviceRun::argument(std::size_t number) {
    const Placed& placed = placed_[number];
    const device::Access access = placed.written ? device::Access::write : device::Access::read;
    if (std::shared_ptr<void> there = device::use_on_device(backend_, arguments_[number], access)) return hold(std::move(there));
    const Span span = span_of(placed.memory);
    const auto found = copied_.find(number);
    if (found != copied_.end()) return found->second.get() - span.first;
    device::Block block(backend_, std::max<std::size_t>(span.bytes(), 1));
    if (span.bytes() != 0) backend_.upload(block.get(), static_cast<const char*>(arguments_[number]) + span.first, span.bytes());
    return copied_.emplace(number, std::move(block)).first->second.get() - span.first;
}

// Arguments that were copied and written to: their elements alone, since others may lie between them.
void DeviceRun::copy_back() {
    for (const auto& [number, block] : copied_) {
        const Placed& placed = placed_[number];
        const Span span = span_of(placed.memory);
        if (!placed.written || span.bytes() == 0) continue;
        std::vector<char> bytes(span.bytes());
        backend_.download(bytes.data(), block.get(), bytes.size());
        device::Memory made = placed.memory;
        made.data = bytes.data() - span.first;
        eager::copy(shown(made), shown(placed.memory));
    }
}

void DeviceRun::allocate(int stage) {
    std::vector<std::size_t> places;
    std::size_t total = 0;
    for (std::size_t group = 0; group < plan_.group_bytes.size(); ++group) {
        places.push_back(total);
        if (plan_.group_stage[group] == stage) total += static_cast<std::size_t>((value_of(plan_.group_bytes[group], values_) + 255) / 256 * 256);
    }
    char* block = nullptr;
    if (total != 0) block = blocks_.emplace_back(backend_, total).get();
    for (std::size_t i = 0; i < plan_.slots.size(); ++i) {
        const Slot& slot = plan_.slots[i];
        const auto number = static_cast<std::size_t>(slot.number);
        if (slot.kind == Slot::Kind::temporary) {
            const auto group = static_cast<std::size_t>(plan_.temporary_group[number]);
            if (plan_.group_stage[group] == stage && block != nullptr) bases_[i] = block + places[group];
        } else if (slot.kind == Slot::Kind::result && slot.stage == stage) {
            made_[number] = device::allocate_movable(static_cast<std::size_t>(value_of(slot.bytes, values_)), &backend_);
            bases_[i] = hold(device::use_on_device(backend_, made_[number]->data(), device::Access::write));
        }
    }
}

void DeviceRun::give_element(int slot, const nest::Buffer& buffer, Given& given) const {
    std::array<std::int64_t, 2> words{};
    device::read_bytes(words.data(), argument_at(slot), itemsize_of(buffer.dtype));
    for (std::size_t i = 0; i < nest::words_of(buffer); ++i) given.push_back(words[i]);
}

void DeviceRun::launch(const KernelStep& step) {
    const std::int64_t units = value_of(step.parallel, values_);
    if (units <= 0) return;
    const DeviceKernel& kernel = plan_.on_device.kernels[step.number];
    Given given;
    for (std::size_t i = 0; i < step.slots.size(); ++i) {
        const nest::Buffer& buffer = plan_.kernels[step.number].buffers[i];
        if (buffer.by_value) give_element(step.slots[i], buffer, given);
        else given.push_back(reinterpret_cast<std::intptr_t>(bases_[static_cast<std::size_t>(step.slots[i])]) + step.offsets[i]);
    }
    for (const shape::Dim size : kernel.sizes) given.push_back(value_of(size, values_));
    given.push_back(units);
    SmallVector<void*, 64> addresses;
    for (std::int64_t& each : given) addresses.push_back(&each);
    const std::int64_t each = kernel.grid.units_of_block();
    const std::int64_t blocks = std::min((units + each - 1) / each, backend_.blocks_at_once(kernel.grid.block));
    backend_.launch(*plan_.on_device.module, kernel.number, blocks, kernel.grid.block, {addresses.data(), addresses.size()});
}

DeviceRun::Copy DeviceRun::copy_of(const ViewOf& view) {
    Copy copy;
    copy.memory.dtype = view.dtype;
    for (const shape::Dim dim : view.shape) copy.memory.shape.push_back(value_of(dim, values_));
    for (const shape::Dim dim : view.strides) copy.memory.strides.push_back(value_of(dim, values_));
    copy.span = span_of(copy.memory);
    const auto bytes = static_cast<std::size_t>(copy.span.end - copy.span.first);
    copy.bytes.resize(bytes);
    if (plan_.slots[static_cast<std::size_t>(view.slot)].by_value) device::read_bytes(copy.bytes.data(), argument_at(view.slot), bytes);
    else if (bytes != 0) backend_.download(copy.bytes.data(), static_cast<char*>(address_of(view)) + copy.span.first, bytes);
    copy.memory.data = copy.bytes.data() - copy.span.first;
    return copy;
}

void DeviceRun::upload(const ViewOf& view, const Copy& copy) {
    if (!copy.bytes.empty()) backend_.upload(static_cast<char*>(address_of(view)) + copy.span.first, copy.bytes.data(), copy.bytes.size());
}

std::vector<DeviceRun::Copy> DeviceRun::copies_of(const std::vector<ViewOf>& views) {
    std::vector<Copy> copies;
    for (const ViewOf& view : views) copies.push_back(copy_of(view));
    return copies;
}

// A precompiled step, by the host.
void DeviceRun::compute(const Step& step) {
    const std::vector<Copy> copies = copies_of(step.eager.operands);
    std::vector<eager::View> operands;
    for (const Copy& copy : copies) operands.push_back(shown(copy.memory));
    ir::Attributes attributes = step.eager.attributes;
    for (shape::Dim& dim : attributes.dims) dim = value_of(dim, values_);
    const ViewOf& out = step.eager.out;
    // In place: what it writes to is its first operand.
    const bool in_place = !step.eager.operands.empty() && step.eager.operands[0].slot == out.slot && address_of(step.eager.operands[0]) == address_of(out);
    const Copy own = in_place ? Copy() : copy_of(out);
    const Copy& result = in_place ? copies[0] : own;
    eager::run(step.eager.op, attributes, operands, shown(result.memory));
    upload(out, result);
}

void DeviceRun::hold(int slot, const device::Memory& memory) {
    const auto bytes = shape::byte_count(memory.shape, itemsize_of(memory.dtype));
    device::BufferPtr buffer = device::allocate_movable(std::max<std::size_t>(bytes, 1), &backend_);
    char* base = hold(device::use_on_device(backend_, buffer->data(), device::Access::write));
    device::use_on_host(memory.data, device::Access::read);
    device::Memory whole = device::allocate(memory.dtype, memory.shape);
    eager::copy(shown(memory), shown(whole));
    if (bytes != 0) backend_.upload(base, whole.data, bytes);
    bases_[static_cast<std::size_t>(slot)] = base;
    held_[slot] = std::move(buffer);
}

Scalar DeviceRun::element(const ViewOf& of) {
    const Copy copy = copy_of(of);
    return ops::load(copy.memory.dtype, copy.memory.data);
}

std::vector<device::Memory> DeviceRun::operands(const Step& step) {
    std::vector<device::Memory> operands;
    for (const ViewOf& view : step.eager.operands) {
        const Copy copy = copy_of(view);
        device::Memory own = device::allocate(copy.memory.dtype, copy.memory.shape);
        eager::copy(shown(copy.memory), shown(own));
        operands.push_back(std::move(own));
    }
    return operands;
}

void DeviceRun::take(std::vector<Result>& results) {
    for (const ViewOf& output : plan_.outputs) {
        const Slot& slot = plan_.slots[static_cast<std::size_t>(output.slot)];
        Result result;
        void* base = nullptr;  // by which the host knows it
        if (slot.kind == Slot::Kind::argument) {
            result.argument = slot.number;
            base = arguments_[static_cast<std::size_t>(slot.number)];
        } else {
            result.memory.buffer = slot.kind == Slot::Kind::given ? held_.at(output.slot) : made_[static_cast<std::size_t>(slot.number)];
            base = result.memory.buffer->data();
        }
        result.memory.dtype = output.dtype;
        result.memory.data = static_cast<char*>(base) + value_of(output.offset, values_);
        for (const shape::Dim dim : output.shape) result.memory.shape.push_back(value_of(dim, values_));
        for (const shape::Dim dim : output.strides) result.memory.strides.push_back(value_of(dim, values_));
        results.push_back(std::move(result));
    }
}

}  // namespace

Outcome run_on_device(const Plan& plan, std::span<void* const> arguments, std::span<const Placed> placed, std::int64_t* values, trace::Caller& caller,
                      std::vector<Result>& results) {
    DeviceRun run(plan, arguments, placed, values, caller);
    const Outcome outcome = run.run();
    if (outcome.kind != Outcome::Kind::done) return outcome;
    run.copy_back();
    run.take(results);
    return outcome;
}

bool is_done_by_device(const Plan& plan) {
    return std::all_of(plan.steps.begin(), plan.steps.end(), [](const Step& step) { return step.is_kernel; });
}

}  // namespace fastnp::plan
