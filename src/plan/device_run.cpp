#include "plan/device_run.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "device/span.h"
#include "fastnp/error.h"
#include "ops/catalogue.h"
#include "ops/element.h"
#include "plan/device_steps.h"
#include "plan/device_turns.h"
#include "plan/launch.h"
#include "plan/unaligned_kernel.h"
#include "shape/strides.h"

namespace fastnp::plan {

namespace {

eager::View shown(const device::Memory& memory) { return {memory.data, memory.dtype, memory.shape, memory.strides}; }

}  // namespace

bool is_done_by_device(const Plan& plan) {
    device::Backend& backend = *plan.on_device.backend;
    return std::all_of(plan.steps.begin(), plan.steps.end(), [&](const Step& step) {
        if (step.is_kernel) return true;
        if (step.is_loop()) return step.loop.body->on_device.backend != nullptr;
        return !ops::is_read(step.eager.op) && host_does(backend, step.eager.op, step.eager.out.dtype).empty();
    });
}

struct DeviceRun::Copy {
    std::vector<char> bytes;
    device::Memory memory;
    device::Span span;
};

DeviceRun::DeviceRun(const Plan& plan)
    : Steps(plan),
      backend_(*plan.on_device.backend),
      binds_sizes_(std::ranges::any_of(plan.steps, [](const Step& step) { return step.read.bound != 0; })),
      holds_back_(plan.profiled == nullptr || plan.steps.size() >= DeviceBatch::least),  // a body's turns are asked for together
      batch_(backend_, plan.profiled == nullptr),
      own_checks_(backend_),
      bases_(plan.slots.size(), nullptr),
      made_(static_cast<std::size_t>(plan.result_count)),
      held_(static_cast<std::size_t>(plan.given_count)) {
    lay_out_given();
}

// Room for what each kernel is given, which stays where it is.
void DeviceRun::lay_out_given() {
    std::size_t total = 0;
    for (std::size_t number = 0; number < plan_.kernels.size(); ++number) {
        Prepared prepared;
        prepared.first = total;
        for (const nest::Buffer& buffer : plan_.kernels[number].buffers) prepared.count += buffer.by_value ? nest::words_of(buffer) : 1;
        prepared.count += plan_.on_device.kernels[number].sizes.size() + 1;
        total += prepared.count;
        prepared_.push_back(prepared);
    }
    repeated_.resize(prepared_.size());
    given_.assign(total, 0);
    for (std::int64_t& each : given_) given_at_.push_back(&each);
}

void DeviceRun::start(std::span<char* const> arguments, std::span<void* const> numbers, std::int64_t* values, trace::Caller& caller) {
    values_ = values;
    caller_ = &caller;
    numbers_ = numbers;
    for (std::size_t i = 0; i < plan_.slots.size(); ++i) {
        const Slot& slot = plan_.slots[i];
        if (slot.kind == Slot::Kind::argument) bases_[i] = arguments[static_cast<std::size_t>(slot.number)];
    }
    const std::span<const std::int64_t> sizes(values, plan_.sizes.size());
    // Those that it binds get their values in the middle.
    if (binds_sizes_ || !std::ranges::equal(sizes, sizes_)) {
        sizes_.assign(sizes.begin(), sizes.end());
        for (Prepared& prepared : prepared_) prepared.units = -1;
    }
    allocate(0);
}

void DeviceRun::end_turn() {
    if (!held_.empty()) batch_.flush();
    for (device::There& there : made_) there = {};
    for (device::There& there : held_) there = {};
    in_place_.clear();
}

void DeviceRun::let_go() noexcept {
    called_.clear();
    for (device::There& there : made_) there = {};
    for (device::There& there : held_) there = {};
    in_place_.clear();
    batch_.drop();
    own_checks_.drop();
    places_.clear();
    spare_.clear();
    temporaries_.clear();
    blocks_.clear();
}

void DeviceRun::finish_checks() {
    if (checks_->is_empty()) return;
    batch_.flush();
    checks_->finish();
}

void DeviceRun::settle() {
    try {
        finish_checks();
    } catch (const IndexError&) {
        throw WrongIndex();
    }
}

// A scatter that writes to an argument in place comes before what the plan says is its first write.
bool DeviceRun::writes_in_place(const Step& step) const {
    if (step.is_kernel || step.eager.op != ops::Op::scatter) return false;
    return plan_.slots[static_cast<std::size_t>(step.eager.out.slot)].kind == Slot::Kind::argument;
}

// Before the first write to an argument the host knows that all indices are right. (What a loop's body writes to is the loop's own.)
DeviceRun::UnderWay DeviceRun::begin(const Step& step) {
    step_ = number_of(step);
    if (checks_ == &own_checks_ && (step_ >= plan_.first_write || writes_in_place(step))) settle();
    return {{&backend_, backend_.names_ranges() ? name_of(plan_, step) : std::string()}, {profile_, step_, &backend_}, {"launch", [&] {
                                                                                                                            return name_of(plan_, step);
                                                                                                                        }}};
}

// Of a stage; that of a turn before, if there was one.
char* DeviceRun::temporaries(int stage, std::size_t bytes) {
    const auto place = static_cast<std::size_t>(stage);
    if (temporaries_.size() <= place) temporaries_.resize(place + 1);
    Temporaries& kept = temporaries_[place];
    if (kept.bytes != bytes) {
        kept.block.reset();
        kept.bytes = 0;
        if (bytes != 0) kept.block.emplace(backend_, bytes);
        kept.bytes = bytes;
    }
    return kept.block ? kept.block->get() : nullptr;
}

device::There DeviceRun::made(std::size_t bytes) {
    const auto fits = [bytes](const device::There& there) { return there.buffer->bytes() == bytes; };
    const auto found = std::ranges::find_if(spare_, fits);
    if (found == spare_.end()) return device::allocate_there(bytes, backend_);
    device::There there = std::move(*found);
    spare_.erase(found);
    return there;
}

void DeviceRun::put(int result, const device::There& there, char* address) {
    places_.resize(static_cast<std::size_t>(plan_.result_count));
    places_[static_cast<std::size_t>(result)] = {there, address};
}

// No more than a run makes: the rest goes back, after what uses it.
void DeviceRun::reuse(device::There there) {
    const auto is_like_it = [&](const device::There& other) { return other.buffer->bytes() == there.buffer->bytes(); };
    if (std::ranges::count_if(spare_, is_like_it) < plan_.result_count) spare_.push_back(std::move(there));
    else batch_.flush();
}

void DeviceRun::allocate(int stage) {
    std::vector<std::size_t>& places = group_places_;
    places.clear();
    std::size_t total = 0;
    for (std::size_t group = 0; group < plan_.group_bytes.size(); ++group) {
        places.push_back(total);
        if (plan_.group_stage[group] == stage) total += (shape::allocatable(value_of(plan_.group_bytes[group], values_)) + 255) / 256 * 256;
    }
    char* const block = temporaries(stage, total);
    for (std::size_t i = 0; i < plan_.slots.size(); ++i) {
        const Slot& slot = plan_.slots[i];
        const auto number = static_cast<std::size_t>(slot.number);
        if (slot.kind == Slot::Kind::temporary) {
            const auto group = static_cast<std::size_t>(plan_.temporary_group[number]);
            if (plan_.group_stage[group] == stage && block != nullptr) bases_[i] = block + places[group];
        } else if (slot.kind == Slot::Kind::result && slot.stage == stage) {
            const bool has_place = !places_.empty() && places_[number].address != nullptr;
            made_[number] = has_place ? places_[number].there : made(shape::allocatable(value_of(slot.bytes, values_)));
            bases_[i] = has_place ? places_[number].address : made_[number].address;
        }
    }
}

void DeviceRun::prepare(const KernelStep& step, Prepared& prepared) {
    const DeviceKernel& kernel = plan_.on_device.kernels[step.number];
    prepared.units = value_of(step.parallel, values_);
    prepared.blocks = blocks_for(backend_, kernel.grid, prepared.units);
    std::size_t at = prepared.first + prepared.count - kernel.sizes.size() - 1;
    for (const shape::Dim size : kernel.sizes) given_[at++] = value_of(size, values_);
    given_[at] = prepared.units;
}

void DeviceRun::launch(const KernelStep& step) {
    Prepared& prepared = prepared_[step.number];
    if (prepared.units < 0) prepare(step, prepared);
    if (prepared.units <= 0) return;
    const std::vector<nest::Buffer>& buffers = plan_.kernels[step.number].buffers;
    std::size_t at = prepared.first;
    std::int64_t checked = 0;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (buffers[i].by_value) {
            device::read_bytes(&given_[at], number_at(step.slots[i]), itemsize_of(buffers[i].dtype));
            at += nest::words_of(buffers[i]);
        } else {
            given_[at] = reinterpret_cast<std::intptr_t>(bases_[static_cast<std::size_t>(step.slots[i])]) + step.offsets[i];
            checked |= buffers[i].checked ? given_[at] - buffers[i].past : 0;
            ++at;
        }
    }
    const DeviceKernel& kernel = plan_.on_device.kernels[step.number];
    const bool is_usual = checked % nest::Grid::vector_bytes == 0;
    const device::Module& module = is_usual ? *kernel.function.module : kernel.unaligned->module(plan_.kernels[step.number], kernel.grid, backend_);
    const std::size_t number = is_usual ? kernel.function.number : 0;
    const std::span<void* const> addresses(given_at_.data() + prepared.first, prepared.count);
    if (holds_back_ || profile_ != nullptr) {
        worker().launch(module, number, prepared.blocks, kernel.grid.block, addresses);
    } else {
        repeated_[step.number].launch(backend_, module, number, prepared.blocks, kernel.grid.block, {given_.data() + prepared.first, prepared.count},
                                      addresses);
    }
}

void* DeviceRun::address_of(const ViewOf& view) const { return bases_[static_cast<std::size_t>(view.slot)] + value_of(view.offset, values_); }

// With the device's address.
eager::View DeviceRun::view_of(const ViewOf& view) const {
    eager::View made{address_of(view), view.dtype, {}, {}};
    for (const shape::Dim dim : view.shape) made.shape.push_back(value_of(dim, values_));
    for (const shape::Dim dim : view.strides) made.strides.push_back(value_of(dim, values_));
    return made;
}

// The same; the device gets what only kernels are given by value.
eager::View DeviceRun::operand_of(const ViewOf& view) {
    eager::View made = view_of(view);
    if (!plan_.slots[static_cast<std::size_t>(view.slot)].by_value) return made;
    const std::size_t bytes = itemsize_of(made.dtype);
    std::array<std::byte, 16> element;
    device::read_bytes(element.data(), number_at(view.slot), bytes);
    made.data = blocks_.emplace_back(backend_, bytes).get();
    backend_.upload(made.data, element.data(), bytes);
    return made;
}

std::span<const eager::View> DeviceRun::operands_of(const EagerStep& step) {
    operands_.clear();
    for (const ViewOf& operand : step.operands) operands_.push_back(operand_of(operand));
    return operands_;
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
    if (plan_.slots[static_cast<std::size_t>(view.slot)].by_value) device::read_bytes(copy.bytes.data(), number_at(view.slot), bytes);
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

// Indices that are an argument, and were not written to since they were looked at, are not looked at again.
void DeviceRun::expect_indices(const EagerStep& step) {
    checks_->expect_any();
    if ((step.op != ops::Op::take && step.op != ops::Op::scatter) || checks_ != &own_checks_) return;
    const Slot& slot = plan_.slots[static_cast<std::size_t>(step.operands[1].slot)];
    const eager::View& indices = operands_[1];
    if (slot.kind != Slot::Kind::argument || slot.by_value || !shape::is_c_contiguous(indices.shape, indices.strides, itemsize_of(indices.dtype))) return;
    const void* argument = numbers_[static_cast<std::size_t>(slot.number)];
    if (!device::can_move(argument)) return;  // the host may write to it unnoticed
    const std::uint64_t version = device::version_of(argument);
    right_.resize(plan_.steps.size());
    checks_->expect(right_[step_], version);
}

bool DeviceRun::compute_there(const EagerStep& step, const ir::Attributes& attributes) {
    if (!host_does(backend_, step.op, step.out.dtype).empty()) return false;
    const std::span<const eager::View> operands = operands_of(step);
    expect_indices(step);
    const bool is_done = run_step_on_device(worker(), step.op, attributes, operands, view_of(step.out), *checks_);
    if (checks_ == &own_checks_ && step_ >= plan_.first_write) finish_checks();
    return is_done;
}

// A precompiled step, by the device or else by the host.
void DeviceRun::compute(const Step& step) {
    ir::Attributes attributes = step.eager.attributes;
    for (shape::Dim& dim : attributes.dims) dim = value_of(dim, values_);
    if (compute_there(step.eager, attributes)) return;
    settle();
    batch_.flush();
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

// What is there already stays, and is only read.
bool DeviceRun::hold_in_place(int slot, const device::Memory& memory) {
    if (memory.buffer == nullptr || memory.data != memory.buffer->data() || !device::lies_on_device(memory.data)) return false;
    std::shared_ptr<void> there = device::use_on_device(backend_, memory.data, device::Access::read);
    if (there == nullptr) return false;
    auto* const address = static_cast<char*>(there.get());
    bases_[static_cast<std::size_t>(slot)] = address;
    held_[static_cast<std::size_t>(plan_.slots[static_cast<std::size_t>(slot)].number)] = {memory.buffer, address};
    in_place_.push_back(std::move(there));
    return true;
}

void DeviceRun::hold(int slot, const device::Memory& memory) {
    if (hold_in_place(slot, memory)) return;
    const auto bytes = shape::byte_count(memory.shape, itemsize_of(memory.dtype));
    device::There there = device::allocate_there(std::max<std::size_t>(bytes, 1), backend_);
    device::use_on_host(memory.data, device::Access::read);
    device::Memory whole = device::allocate(memory.dtype, memory.shape);
    eager::copy(shown(memory), shown(whole));
    if (bytes != 0) backend_.upload(there.address, whole.data, bytes);
    bases_[static_cast<std::size_t>(slot)] = there.address;
    held_[static_cast<std::size_t>(plan_.slots[static_cast<std::size_t>(slot)].number)] = std::move(there);
}

void DeviceRun::take_turns(const Step& step) {
    if (step.loop.body->on_device.backend == nullptr) return take_turns_on_host(step);
    batch_.flush();
    const std::size_t number = number_of(step);
    std::unique_ptr<DeviceRun>& body = bodies_[number];
    if (body == nullptr) body = std::make_unique<DeviceRun>(*step.loop.body);
    body->measure(profile_ == nullptr ? nullptr : profile_->body(number));
    body->checks_ = checks_;
    const std::vector<DeviceArray> given = take_turns_on_device(step.loop, *body, operands_of(step.eager), values_, *caller_);
    if (checks_ == &own_checks_ && number >= plan_.first_write) finish_checks();
    for (std::size_t i = 0; i < given.size(); ++i) {
        const int slot = step.loop.given[i];
        if (slot < 0) continue;
        bases_[static_cast<std::size_t>(slot)] = static_cast<char*>(given[i].view.data);
        held_[static_cast<std::size_t>(plan_.slots[static_cast<std::size_t>(slot)].number)] = given[i].there;
    }
}

Scalar DeviceRun::element(const ViewOf& of) {
    settle();
    batch_.flush();
    const Copy copy = copy_of(of);
    return ops::load(copy.memory.dtype, copy.memory.data);
}

std::vector<device::Memory> DeviceRun::operands(const Step& step) {
    settle();
    batch_.flush();
    std::vector<device::Memory> operands;
    for (const ViewOf& view : step.eager.operands) {
        const Copy copy = copy_of(view);
        device::Memory own = device::allocate(copy.memory.dtype, copy.memory.shape);
        eager::copy(shown(copy.memory), shown(own));
        operands.push_back(std::move(own));
    }
    return operands;
}

DeviceRun::Output DeviceRun::output(const ViewOf& output) const {
    const Slot& slot = plan_.slots[static_cast<std::size_t>(output.slot)];
    const auto number = static_cast<std::size_t>(slot.number);
    char* const base = bases_[static_cast<std::size_t>(output.slot)];
    if (slot.kind == Slot::Kind::argument) return {slot.number, {}, base};
    return {-1, slot.kind == Slot::Kind::given ? held_[number] : made_[number], base};
}

DeviceRun::Output DeviceRun::last_output(const ViewOf& output) {
    const Slot& slot = plan_.slots[static_cast<std::size_t>(output.slot)];
    if (slot.kind == Slot::Kind::argument || slot.kind == Slot::Kind::given) return this->output(output);
    return {-1, std::move(made_[static_cast<std::size_t>(slot.number)]), bases_[static_cast<std::size_t>(output.slot)]};
}

}  // namespace fastnp::plan
