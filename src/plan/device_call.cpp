#include "plan/device_call.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "device/block.h"
#include "device/movable.h"
#include "device/span.h"
#include "device/stay.h"
#include "eager/eager.h"
#include "fastnp/detail/timeline.h"
#include "plan/device_run.h"
#include "plan/launch.h"

namespace fastnp::plan {

namespace {

constexpr std::size_t most_idle = 7;  // beside the last one

device::Memory memory_of(const Placed& placed, void* data) {
    return {nullptr, data, placed.dtype, Shape(placed.shape, placed.shape + placed.rank), Strides(placed.strides, placed.strides + placed.rank)};
}

eager::View shown(const device::Memory& memory) { return {memory.data, memory.dtype, memory.shape, memory.strides}; }

}  // namespace

class DeviceCall {
public:
    explicit DeviceCall(const Plan& plan) : plan_(plan), backend_(*plan.on_device.backend), run_(plan), is_last_(plan.outputs.size()) {
        std::set<int> later;
        for (std::size_t i = plan.outputs.size(); i-- > 0;) is_last_[i] = later.insert(plan.outputs[i].slot).second;
    }

    const Plan& plan() const { return plan_; }
    Outcome run(std::span<void* const> arguments, std::span<const Placed> placed, std::int64_t* values, trace::Caller& caller, device::SharedUse& shared,
                std::vector<Result>& results);
    void let_go() noexcept;

private:
    char* place(std::size_t number, void* argument, const Placed& placed, device::SharedUse& shared);
    void copy_back(std::span<void* const> arguments, std::span<const Placed> placed);
    void take(std::span<void* const> arguments, const std::int64_t* values, std::vector<Result>& results);

    const Plan& plan_;
    device::Backend& backend_;
    DeviceRun run_;
    std::vector<bool> is_last_;                    // of the outputs, whether it is the last one of its slot
    std::vector<char*> addresses_;                 // of arguments, on the device
    std::vector<std::shared_ptr<void>> there_;     // what movable memory has there, which others may move away meanwhile
    std::map<std::size_t, device::Block> copied_;  // arguments that are not movable
};

char* DeviceCall::place(std::size_t number, void* argument, const Placed& placed, device::SharedUse& shared) {
    const device::Access access = placed.written ? device::Access::write : device::Access::read;
    if (device::shared_on(argument) == &backend_) shared.begin(backend_);
    if (std::shared_ptr<void> there = device::use_on_device(backend_, placed.buffer, argument, access)) {
        return static_cast<char*>(there_.emplace_back(std::move(there)).get());
    }
    const device::Span span = device::span_of(memory_of(placed, argument));
    device::Block block(backend_, std::max<std::size_t>(span.bytes(), 1));
    if (span.bytes() != 0) {
        device::use_on_host(argument, device::Access::read);
        const fastnp::detail::TimelineSpan timed("copy", "upload", static_cast<std::int64_t>(span.bytes()));
        backend_.upload(block.get(), static_cast<const char*>(argument) + span.first, span.bytes());
    }
    return copied_.emplace(number, std::move(block)).first->second.get() - span.first;
}

// Arguments that were copied and written to: their elements alone, since others may lie between them.
void DeviceCall::copy_back(std::span<void* const> arguments, std::span<const Placed> placed) {
    for (const auto& [number, block] : copied_) {
        if (!placed[number].written) continue;
        const device::Memory argument = memory_of(placed[number], arguments[number]);
        const device::Span span = device::span_of(argument);
        if (span.bytes() == 0) continue;
        std::vector<char> bytes(span.bytes());
        const fastnp::detail::TimelineSpan timed("copy", "download", static_cast<std::int64_t>(bytes.size()));
        backend_.download(bytes.data(), block.get(), bytes.size());
        device::Memory made = argument;
        made.data = bytes.data() - span.first;
        device::HostWrite write(argument);
        eager::copy(shown(made), shown(argument));
        write.done();
    }
}

void DeviceCall::take(std::span<void* const> arguments, const std::int64_t* values, std::vector<Result>& results) {
    for (std::size_t i = 0; i < plan_.outputs.size(); ++i) {
        const ViewOf& output = plan_.outputs[i];
        DeviceRun::Output lies = is_last_[i] ? run_.last_output(output) : run_.output(output);
        Result& result = results.emplace_back();
        result.argument = lies.argument;
        char* base = nullptr;  // by which the host knows it
        if (lies.argument >= 0) base = static_cast<char*>(arguments[static_cast<std::size_t>(lies.argument)]);
        else base = static_cast<char*>(lies.there.buffer->data()) + (lies.base - lies.there.address);
        result.memory.buffer = std::move(lies.there.buffer);
        result.memory.dtype = output.dtype;
        result.memory.data = base + value_of(output.offset, values);
        for (const shape::Dim dim : output.shape) result.memory.shape.push_back(value_of(dim, values));
        for (const shape::Dim dim : output.strides) result.memory.strides.push_back(value_of(dim, values));
    }
}

Outcome DeviceCall::run(std::span<void* const> arguments, std::span<const Placed> placed, std::int64_t* values, trace::Caller& caller,
                        device::SharedUse& shared, std::vector<Result>& results) {
    addresses_.assign(arguments.size(), nullptr);
    for (const Slot& slot : plan_.slots) {
        const auto number = static_cast<std::size_t>(slot.number);
        if (slot.kind != Slot::Kind::argument || slot.by_value || addresses_[number] != nullptr) continue;
        addresses_[number] = place(number, arguments[number], placed[number], shared);
    }
    std::shared_ptr<Profile> profile;
    if (is_profiling()) profile = std::make_shared<Profile>(plan_);
    run_.measure(profile.get());
    run_.start(addresses_, arguments, values, caller);
    Outcome outcome;
    try {
        outcome = run_.run();
        run_.flush();
        run_.settle();
    } catch (const WrongIndex& wrong) {
        return {Outcome::Kind::raised, -1, {}, {}, wrong.error};
    }
    if (outcome.kind != Outcome::Kind::done) return outcome;
    copy_back(arguments, placed);
    take(arguments, values, results);
    if (profile == nullptr) return outcome;
    profile->drain();
    profile->keep_sizes({values, plan_.sizes.size()});
    plan_.profiled->set(std::move(profile));
    return outcome;
}

void DeviceCall::let_go() noexcept {
    run_.let_go();
    there_.clear();
    copied_.clear();
}

DeviceCalls::DeviceCalls() { idle_.reserve(most_idle); }
DeviceCalls::~DeviceCalls() { const std::unique_ptr<DeviceCall> last(last_.load()); }

std::unique_ptr<DeviceCall> DeviceCalls::take(const Plan& plan) {
    std::unique_ptr<DeviceCall> last(last_.exchange(nullptr, std::memory_order_acquire));
    if (last != nullptr && &last->plan() == &plan) return last;
    {
        const std::scoped_lock lock(mutex_);
        while (!idle_.empty()) {
            std::unique_ptr<DeviceCall> call = std::move(idle_.back());
            idle_.pop_back();
            if (&call->plan() == &plan) return call;
        }
    }
    return std::make_unique<DeviceCall>(plan);
}

void DeviceCalls::give_back(std::unique_ptr<DeviceCall> call) noexcept {
    call->let_go();
    std::unique_ptr<DeviceCall> before(last_.exchange(call.release(), std::memory_order_acq_rel));
    if (before == nullptr) return;
    const std::scoped_lock lock(mutex_);
    if (idle_.size() < most_idle) idle_.push_back(std::move(before));
}

Outcome run_on_device(const Plan& plan, std::span<void* const> arguments, std::span<const Placed> placed, std::int64_t* values, trace::Caller& caller,
                      std::vector<Result>& results) {
    // Calls of the outside may do anything to the thread's current device.
    const device::Stay stay(plan.calls.empty() ? plan.on_device.backend : nullptr);
    device::SharedUse shared;
    struct Use {
        DeviceCalls& calls;
        std::unique_ptr<DeviceCall> call;
        ~Use() { calls.give_back(std::move(call)); }
    };
    const Use use{*plan.on_device.calls, plan.on_device.calls->take(plan)};
    return use.call->run(arguments, placed, values, caller, shared, results);
}

}  // namespace fastnp::plan
