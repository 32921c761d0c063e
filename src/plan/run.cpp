#include "eager/eager.h"
#include "fastnp/error.h"
#include "ops/element.h"
#include "plan/device_run.h"
#include "plan/launch.h"
#include "plan/plan.h"
#include "plan/turns.h"

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
class Run {
public:
    Run(const Plan& plan, std::span<void* const> arguments, std::int64_t* values, trace::Caller& caller)
        : plan_(plan),
          values_(values),
          caller_(caller),
          bases_(plan.slots.size(), nullptr),
          made_(static_cast<std::size_t>(plan.result_count + plan.sizes.bound_count() + 1)),
          held_(static_cast<std::size_t>(plan.given_count)) {
        for (std::size_t i = 0; i < plan.slots.size(); ++i) {
            if (plan.slots[i].kind == Slot::Kind::argument) bases_[i] = arguments[static_cast<std::size_t>(plan.slots[i].number)];
        }
        allocate(0);
    }

    Outcome steps();
    void take(std::vector<Result>& results) const;

private:
    void allocate(int stage);
    Outcome read(const Step& step);
    Outcome call(const Step& step);
    void take_turns(const Step& step);
    void hold(int slot, const device::Memory& memory);
    device::Memory memory_of(const ViewOf& view) const;

    const Plan& plan_;
    std::int64_t* values_;
    trace::Caller& caller_;
    SmallVector<void*, 32> bases_;  // by slot
    std::vector<device::BufferPtr> made_;  // results, then the temporaries of each stage
    std::vector<trace::CalledPtr> called_;  // by the number of the call
    // What calls and loops gave, by a slot's number: a loop may have hundreds of states, and most plans have nothing here, which allocates nothing.
    std::vector<device::BufferPtr> held_;
};

// The results of one stage, and one block for its temporaries.
void Run::allocate(int stage) {
    SmallVector<std::size_t, 8> places;
    std::size_t total = 0;
    for (std::size_t group = 0; group < plan_.group_bytes.size(); ++group) {
        places.push_back(total);
        if (plan_.group_stage[group] == stage) total += static_cast<std::size_t>((value_of(plan_.group_bytes[group], values_) + 63) / 64 * 64);
    }
    const int place = plan_.result_count + stage;
    device::BufferPtr& block = made_[static_cast<std::size_t>(place)];
    if (total != 0) block = device::Buffer::allocate(total);
    for (std::size_t i = 0; i < plan_.slots.size(); ++i) {
        const Slot& slot = plan_.slots[i];
        const auto number = static_cast<std::size_t>(slot.number);
        if (slot.kind == Slot::Kind::temporary) {
            const auto group = static_cast<std::size_t>(plan_.temporary_group[number]);
            if (plan_.group_stage[group] == stage && block) bases_[i] = static_cast<char*>(block->data()) + places[group];
        } else if (slot.kind == Slot::Kind::result && slot.stage == stage) {
            made_[number] = device::Buffer::allocate(static_cast<std::size_t>(value_of(slot.bytes, values_)));
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

Outcome Run::call(const Step& step) {
    std::vector<device::Memory> operands;
    for (const ViewOf& operand : step.eager.operands) operands.push_back(memory_of(operand));
    trace::CalledPtr called = caller_.call(step.read.call, operands, step.read.is_last);
    if (!called) return {Outcome::Kind::raised};
    called_.push_back(called);
    if (!trace::fits(plan_.calls[static_cast<std::size_t>(step.read.call)], *called, values_)) {
        return {Outcome::Kind::unexpected, step.read.number, {}, called_};
    }
    for (std::size_t i = 0; i < step.read.given.size(); ++i) {
        if (step.read.given[i] >= 0) hold(step.read.given[i], called->arrays[i]);
    }
    return {};
}

void Run::hold(int slot, const device::Memory& memory) {
    bases_[static_cast<std::size_t>(slot)] = memory.data;
    held_[static_cast<std::size_t>(plan_.slots[static_cast<std::size_t>(slot)].number)] = memory.buffer;
}

void Run::take_turns(const Step& step) {
    std::vector<device::Memory> operands;
    for (const ViewOf& operand : step.eager.operands) operands.push_back(memory_of(operand));
    const std::vector<device::Memory> given = run_turns(step.loop, operands, values_, caller_);
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (step.loop.given[i] >= 0) hold(step.loop.given[i], given[i]);
    }
}

Outcome Run::read(const Step& step) {
    if (step.read.call >= 0) return call(step);
    const eager::View view = view_of(step.eager.operands[0], bases_.data(), values_);
    const Scalar found = ops::load(view.dtype, view.data);
    bool holds = step.read.bound != 0 || found == step.read.scalar;
    if (step.read.bound != 0) {
        plan_.sizes.bind(step.read.bound, found.as_int64(), values_);
        holds = plan_.sizes.holds(step.read.bound, values_);
        if (holds) allocate(step.read.bound);
    }
    return holds ? Outcome{} : Outcome{Outcome::Kind::unexpected, step.read.number, found, called_};
}

Outcome Run::steps() {
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
        const Step& step = plan_.steps[i];
        if (step.is_kernel) {
            run_kernel(step.kernel, bases_.data(), values_);
            continue;
        }
        if (ops::is_read(step.eager.op)) {
            Outcome outcome = read(step);
            if (outcome.kind != Outcome::Kind::done) return outcome;
            continue;
        }
        try {
            if (step.is_loop()) take_turns(step);
            else run_eager(step.eager, bases_.data(), values_);
        } catch (const MemoryError&) {
            throw;
        } catch (const Error&) {
            if (i < plan_.first_write) return {Outcome::Kind::raised, -1, {}, {}, std::current_exception()};
            throw;
        }
    }
    return {};
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

Outcome Plan::run(std::span<void* const> arguments, std::int64_t* values, trace::Caller& caller, std::vector<Result>& results,
                  std::span<const Span> spans) const {
    if (on_device.backend != nullptr) return run_on_device(*this, arguments, spans, values, caller, results);
    Run run(*this, arguments, values, caller);
    const Outcome outcome = run.steps();
    if (outcome.kind == Outcome::Kind::done) run.take(results);
    return outcome;
}

}  // namespace fastnp::plan
