#include "device/movable.h"
#include "eager/eager.h"
#include "fastnp/detail/timeline.h"
#include "fastnp/error.h"
#include "ops/element.h"
#include "plan/device_call.h"
#include "plan/launch.h"
#include "plan/plan.h"
#include "plan/profile.h"
#include "plan/steps.h"
#include "shape/strides.h"

namespace fastnp::plan {

namespace {

void run_kernel(const KernelStep& step, void* const* bases, const std::int64_t* values) {
    SmallVector<void*, 64> pointers;
    for (std::size_t i = 0; i < step.slots.size(); ++i) pointers.push_back(static_cast<char*>(bases[step.slots[i]]) + step.offsets[i]);
    launch(step, pointers.data(), values);
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

// A run of a plan: its memory, made when its sizes are known.
class Run : public Steps<Run> {
public:
    Run(const Plan& plan, std::span<void* const> arguments, std::int64_t* values, trace::Caller& caller)
        : Steps(plan, values, caller),
          bases_(plan.slots.size(), nullptr),
          made_(static_cast<std::size_t>(plan.result_count + plan.sizes.bound_count() + 1)),
          held_(static_cast<std::size_t>(plan.given_count)) {
        for (std::size_t i = 0; i < plan.slots.size(); ++i) {
            if (plan.slots[i].kind == Slot::Kind::argument) bases_[i] = arguments[static_cast<std::size_t>(plan.slots[i].number)];
        }
        allocate(0);
    }

    void take(std::vector<Result>& results) const;

    void measure(Profile* profile) { profile_ = profile; }
    struct UnderWay {
        StepTimer timer;
        detail::TimelineSpan span;
    };
    UnderWay begin(const Step& step) {
        return {{profile_, static_cast<std::size_t>(&step - plan_.steps.data()), nullptr}, {"kernel", [&] { return name_of(plan_, step); }}};
    }
    void launch(const KernelStep& step) { run_kernel(step, bases_.data(), values_); }
    void compute(const Step& step) { run_eager(step.eager, bases_.data(), values_); }
    Scalar element(const ViewOf& of) const {
        const eager::View view = view_of(of, bases_.data(), values_);
        return ops::load(view.dtype, view.data);
    }
    std::vector<device::Memory> operands(const Step& step) const {
        std::vector<device::Memory> operands;
        for (const ViewOf& operand : step.eager.operands) operands.push_back(memory_of(operand));
        return operands;
    }
    void hold(int slot, const device::Memory& memory);
    void allocate(int stage);
    void take_turns(const Step& step) { take_turns_on_host(step); }

private:
    device::Memory memory_of(const ViewOf& view) const;

    Profile* profile_ = nullptr;    // null: it is not measured
    SmallVector<void*, 32> bases_;  // by slot
    std::vector<device::BufferPtr> made_;  // results, then the temporaries of each stage
    // What calls and loops gave, by a slot's number: a loop may have hundreds of states, and most plans have nothing here, which allocates nothing.
    std::vector<device::BufferPtr> held_;
};

// Where temporaries lie that have no elements, if all are such: parts of them begin somewhere, too.
char no_bytes;

// The results of one stage, and one block for its temporaries.
void Run::allocate(int stage) {
    SmallVector<std::size_t, 8> places;
    std::size_t total = 0;
    for (std::size_t group = 0; group < plan_.group_bytes.size(); ++group) {
        places.push_back(total);
        if (plan_.group_stage[group] == stage) total += (shape::allocatable(value_of(plan_.group_bytes[group], values_)) + 63) / 64 * 64;
    }
    const int place = plan_.result_count + stage;
    device::BufferPtr& block = made_[static_cast<std::size_t>(place)];
    if (total != 0) block = device::Buffer::allocate(total);
    for (std::size_t i = 0; i < plan_.slots.size(); ++i) {
        const Slot& slot = plan_.slots[i];
        const auto number = static_cast<std::size_t>(slot.number);
        if (slot.kind == Slot::Kind::temporary) {
            const auto group = static_cast<std::size_t>(plan_.temporary_group[number]);
            if (plan_.group_stage[group] == stage) bases_[i] = block ? static_cast<char*>(block->data()) + places[group] : &no_bytes;
        } else if (slot.kind == Slot::Kind::result && slot.stage == stage) {
            made_[number] = device::Buffer::allocate(shape::allocatable(value_of(slot.bytes, values_)));
            bases_[i] = made_[number]->data();
        }
    }
}

device::Memory Run::memory_of(const ViewOf& view) const {
    device::Memory memory;
    memory.dtype = view.dtype;
    memory.data = static_cast<char*>(bases_[static_cast<std::size_t>(view.slot)]) + value_of(view.offset, values_);
    for (const shape::Dim dim : view.shape) memory.shape.push_back(value_of(dim, values_));
    for (const shape::Dim dim : view.strides) memory.strides.push_back(value_of(dim, values_));
    return memory;
}

void Run::hold(int slot, const device::Memory& memory) {
    device::use_on_host(memory.data, device::Access::read);
    bases_[static_cast<std::size_t>(slot)] = memory.data;
    held_[static_cast<std::size_t>(plan_.slots[static_cast<std::size_t>(slot)].number)] = memory.buffer;
}

void Run::take(std::vector<Result>& results) const {
    for (const ViewOf& output : plan_.outputs) {
        const Slot& slot = plan_.slots[static_cast<std::size_t>(output.slot)];
        Result result{memory_of(output)};
        if (slot.kind == Slot::Kind::argument) result.argument = slot.number;
        else if (slot.kind == Slot::Kind::given) result.memory.buffer = held_[static_cast<std::size_t>(slot.number)];
        else result.memory.buffer = made_[static_cast<std::size_t>(slot.number)];
        results.push_back(std::move(result));
    }
}

}  // namespace

std::string name_of(const Plan& plan, const Step& step) {
    if (step.is_kernel) return plan.kernels[step.kernel.number].name;
    if (step.is_loop()) return "loop";
    if (step.read.call >= 0) return plan.calls[static_cast<std::size_t>(step.read.call)].name;
    return std::string(ops::info(step.eager.op).name);
}

Outcome Plan::run(std::span<void* const> arguments, std::int64_t* values, trace::Caller& caller, std::vector<Result>& results,
                  std::span<const Placed> placed) const {
    if (on_device.backend != nullptr) return run_on_device(*this, arguments, placed, values, caller, results);
    Run run(*this, arguments, values, caller);
    std::shared_ptr<Profile> profile;
    if (is_profiling() && profiled) run.measure((profile = std::make_shared<Profile>(*this)).get());
    const Outcome outcome = run.run();
    if (outcome.kind != Outcome::Kind::done) return outcome;
    run.take(results);
    if (profile) {
        profile->keep_sizes({values, sizes.size()});
        profiled->set(std::move(profile));
    }
    return outcome;
}

}  // namespace fastnp::plan
