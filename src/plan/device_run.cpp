#include "plan/device_run.h"

#include <algorithm>
#include <array>
#include <exception>
#include <map>
#include <utility>

#include "device/block.h"
#include "device/movable.h"
#include "device/range.h"
#include "device/span.h"
#include "eager/eager.h"
#include "fastnp/error.h"
#include "ops/catalogue.h"
#include "ops/element.h"
#include "plan/device_indices.h"
#include "plan/device_steps.h"
#include "plan/launch.h"
#include "plan/steps.h"
#include "shape/strides.h"

namespace fastnp::plan {

namespace {

eager::View shown(const device::Memory& memory) { return {memory.data, memory.dtype, memory.shape, memory.strides}; }

class DeviceRun : public Steps<DeviceRun> {
public:
    DeviceRun(const Plan& plan, std::span<void* const> arguments, std::span<const Placed> placed, std::int64_t* values, trace::Caller& caller)
        : Steps(plan, values, caller),
          backend_(*plan.on_device.backend),
          checks_(*plan.on_device.backend),
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

    device::Range begin(const Step& step);
    void settle();
    bool writes_in_place(const Step& step) const;
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
        device::Span span;
    };

    char* hold(std::shared_ptr<void> there) { return static_cast<char*>(there_.emplace_back(std::move(there)).get()); }
    char* argument(std::size_t number);
    const void* argument_at(int slot) const { return arguments_[static_cast<std::size_t>(plan_.slots[static_cast<std::size_t>(slot)].number)]; }
    void give_element(int slot, const nest::Buffer& buffer, Given& given) const;
    void* address_of(const ViewOf& view) const { return bases_[static_cast<std::size_t>(view.slot)] + value_of(view.offset, values_); }
    eager::View view_of(const ViewOf& view) const;
    eager::View operand_of(const ViewOf& view);
    bool compute_there(const EagerStep& step, const ir::Attributes& attributes);
    Copy copy_of(const ViewOf& view);
    void upload(const ViewOf& view, const Copy& copy);
    std::vector<Copy> copies_of(const std::vector<ViewOf>& views);

    device::Backend& backend_;
    IndexChecks checks_;
    std::size_t step_ = 0;  // that is run
    std::span<void* const> arguments_;
    std::span<const Placed> placed_;
    device::SharedUse shared_;
    std::vector<char*> bases_;                     // by slot, on the device
    std::vector<std::shared_ptr<void>> there_;     // what movable memory has there, which others may move away meanwhile
    std::vector<device::BufferPtr> made_;          // results
    std::vector<device::Block> blocks_;            // temporaries, numbers, and what calls and loops gave
    std::map<std::size_t, device::Block> copied_;  // arguments that are not movable
    std::map<int, device::BufferPtr> held_;        // what calls and loops gave, where it is a result
};

/// An index of an earlier step is out of bounds, and nothing was written to an argument.
struct WrongIndex : std::exception {
    std::exception_ptr error = std::current_exception();
};

// Waits for what was found out about indices.
void DeviceRun::settle() {
    try {
        checks_.finish();
    } catch (const IndexError&) {
        throw WrongIndex();
    }
}

// A scatter that writes to an argument in place comes before what the plan says is its first write.
bool DeviceRun::writes_in_place(const Step& step) const {
    if (step.is_kernel || step.eager.op != ops::Op::scatter) return false;
    return plan_.slots[static_cast<std::size_t>(step.eager.out.slot)].kind == Slot::Kind::argument;
}

// Before the first write to an argument the host knows that all indices are right.
device::Range DeviceRun::begin(const Step& step) {
    step_ = static_cast<std::size_t>(&step - plan_.steps.data());
    if (step_ >= plan_.first_write || writes_in_place(step)) settle();
    return {&backend_, backend_.names_ranges() ? name_of(plan_, step) : std::string()};
}

char* DeviceRun::argument(std::size_t number) {
    const Placed& placed = placed_[number];
    const device::Access access = placed.written ? device::Access::write : device::Access::read;
    if (device::shared_on(arguments_[number]) == &backend_) shared_.begin(backend_);
    if (std::shared_ptr<void> there = device::use_on_device(backend_, arguments_[number], access)) return hold(std::move(there));
    const device::Span span = device::span_of(placed.memory);
    const auto found = copied_.find(number);
    if (found != copied_.end()) return found->second.get() - span.first;
    device::Block block(backend_, std::max<std::size_t>(span.bytes(), 1));
    if (span.bytes() != 0) {
        device::use_on_host(arguments_[number], device::Access::read);
        backend_.upload(block.get(), static_cast<const char*>(arguments_[number]) + span.first, span.bytes());
    }
    return copied_.emplace(number, std::move(block)).first->second.get() - span.first;
}

// Arguments that were copied and written to: their elements alone, since others may lie between them.
void DeviceRun::copy_back() {
    for (const auto& [number, block] : copied_) {
        const Placed& placed = placed_[number];
        const device::Span span = device::span_of(placed.memory);
        if (!placed.written || span.bytes() == 0) continue;
        std::vector<char> bytes(span.bytes());
        backend_.download(bytes.data(), block.get(), bytes.size());
        device::Memory made = placed.memory;
        made.data = bytes.data() - span.first;
        device::HostWrite write(placed.memory);
        eager::copy(shown(made), shown(placed.memory));
        write.done();
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
    plan::launch(backend_, *plan_.on_device.module, kernel.number, kernel.grid, units, {addresses.data(), addresses.size()});
}

// With the device's address.
eager::View DeviceRun::view_of(const ViewOf& view) const {
    eager::View made{address_of(view), view.dtype, {}, {}};
    for (const shape::Dim dim : view.shape) made.shape.push_back(value_of(dim, values_));
    for (const shape::Dim dim : view.strides) made.strides.push_back(value_of(dim, values_));
    return made;
}

DeviceRun::Copy DeviceRun::copy_of(const ViewOf& view) {
    Copy copy;
    eager::View seen = view_of(view);
    copy.memory.dtype = seen.dtype;
    copy.memory.shape = std::move(seen.shape);
    copy.memory.strides = std::move(seen.strides);
    copy.span = device::span_of(copy.memory);
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

// The same; the device gets what only kernels are given by value.
eager::View DeviceRun::operand_of(const ViewOf& view) {
    eager::View made = view_of(view);
    if (!plan_.slots[static_cast<std::size_t>(view.slot)].by_value) return made;
    const std::size_t bytes = itemsize_of(made.dtype);
    std::array<std::byte, 16> element;
    device::read_bytes(element.data(), argument_at(view.slot), bytes);
    made.data = blocks_.emplace_back(backend_, bytes).get();
    backend_.upload(made.data, element.data(), bytes);
    return made;
}

bool DeviceRun::compute_there(const EagerStep& step, const ir::Attributes& attributes) {
    if (!host_does(backend_, step.op, step.out.dtype).empty()) return false;
    std::vector<eager::View> operands;
    for (const ViewOf& operand : step.operands) operands.push_back(operand_of(operand));
    const bool is_done = run_step_on_device(backend_, step.op, attributes, operands, view_of(step.out), checks_);
    if (step_ >= plan_.first_write) checks_.finish();
    return is_done;
}

// A precompiled step, by the device or else by the host.
void DeviceRun::compute(const Step& step) {
    ir::Attributes attributes = step.eager.attributes;
    for (shape::Dim& dim : attributes.dims) dim = value_of(dim, values_);
    if (compute_there(step.eager, attributes)) return;
    settle();
    const std::vector<Copy> copies = copies_of(step.eager.operands);
    std::vector<eager::View> operands;
    for (const Copy& copy : copies) operands.push_back(shown(copy.memory));
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
    settle();
    const Copy copy = copy_of(of);
    return ops::load(copy.memory.dtype, copy.memory.data);
}

std::vector<device::Memory> DeviceRun::operands(const Step& step) {
    settle();
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
    Outcome outcome;
    try {
        outcome = run.run();
        run.settle();
    } catch (const WrongIndex& wrong) {
        return {Outcome::Kind::raised, -1, {}, {}, wrong.error};
    }
    if (outcome.kind != Outcome::Kind::done) return outcome;
    run.copy_back();
    run.take(results);
    return outcome;
}

bool is_done_by_device(const Plan& plan) {
    device::Backend& backend = *plan.on_device.backend;
    return std::all_of(plan.steps.begin(), plan.steps.end(), [&](const Step& step) {
        if (step.is_kernel) return true;
        return !step.is_loop() && !ops::is_read(step.eager.op) && host_does(backend, step.eager.op, step.eager.out.dtype).empty();
    });
}

}  // namespace fastnp::plan
