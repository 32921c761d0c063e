#include "plan/pack.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "fastnp/error.h"
#include "nest/pack.h"
#include "ops/names.h"
#include "plan/profile.h"

namespace fastnp::plan {

using base::Reader;
using base::Writer;
using Bodies = std::vector<const Plan*>;

namespace {

// A plan's bodies and those of their loops, each once, inner ones first; the plan itself comes last.
void note_plans(const Plan& plan, Bodies& all) {
    if (std::ranges::find(all, &plan) != all.end()) return;
    for (const Step& step : plan.steps) {
        if (step.is_loop()) note_plans(*step.loop.body, all);
    }
    all.push_back(&plan);
}

void pack(shape::Dim dim, Writer& out) { out.integer(dim.raw()); }
void pack_flag(bool flag, Writer& out) { out.number(flag ? 1 : 0); }

template <class Numbers>
void pack_integers(const Numbers& numbers, Writer& out) {
    out.number(numbers.size());
    for (const auto number : numbers) out.integer(number);
}

void pack(const ViewOf& view, Writer& out) {
    out.integer(view.slot);
    ops::pack(view.dtype, out);
    pack(view.offset, out);
    shape::pack(view.shape, out);
    shape::pack(view.strides, out);
}

void pack(const ir::Attributes& attributes, Writer& out) {
    pack_integers(attributes.ints, out);
    shape::pack(attributes.dims, out);
    ir::pack(attributes.scalar, out);
    ops::pack(attributes.dtype, out);
}

void pack(const KernelStep& step, Writer& out) {
    out.number(step.number);
    pack_integers(step.slots, out);
    pack_integers(step.offsets, out);
    pack(step.parallel, out);
    out.integer(step.cost);
    out.number(step.scratch.size());
    for (const Dtype dtype : step.scratch) ops::pack(dtype, out);
    pack(step.inner_points, out);
}

void pack(const EagerStep& step, Writer& out) {
    ops::pack(step.op, out);
    pack(step.attributes, out);
    out.number(step.operands.size());
    for (const ViewOf& operand : step.operands) pack(operand, out);
    pack(step.out, out);
    pack_flag(step.only_checks, out);
}

void pack(const ReadStep& step, Writer& out) {
    out.integer(step.number);
    out.integer(step.bound);
    ir::pack(step.scalar, out);
    pack_flag(step.is_last, out);
}

void pack(const std::vector<ir::Call::Type>& types, Writer& out) {
    out.number(types.size());
    for (const ir::Call::Type& type : types) {
        ops::pack(type.dtype, out);
        shape::pack(type.shape, out);
    }
}

void pack(const LoopStep& step, const Bodies& bodies, Writer& out) {
    out.number(static_cast<std::uint64_t>(std::ranges::find(bodies, step.body.get()) - bodies.begin()));
    pack_integers(step.looped.ints(), out);
    pack(step.count, out);
    pack(step.states, out);
    pack(step.collected, out);
    out.number(step.strides.size());
    for (const shape::Dims& strides : step.strides) shape::pack(strides, out);
    out.number(step.parts);
    out.number(step.written.size());
    for (const bool written : step.written) pack_flag(written, out);
    pack_integers(step.given, out);
    pack_flag(step.numbers != nullptr, out);
    if (!step.numbers) return;
    out.number(step.numbers->loop.program.variables.size());
    shape::pack({step.numbers->loop.sizes.begin(), step.numbers->loop.sizes.end()}, out);
}

enum class StepKind : std::uint8_t { kernel, eager, read, loop };

StepKind kind_of(const Step& step) {
    if (step.is_kernel) return StepKind::kernel;
    if (step.is_loop()) return StepKind::loop;
    return ops::is_read(step.eager.op) ? StepKind::read : StepKind::eager;
}

void pack(const Step& step, const Bodies& bodies, Writer& out) {
    const StepKind kind = kind_of(step);
    out.number(static_cast<std::uint64_t>(kind));
    if (kind == StepKind::kernel) return pack(step.kernel, out);
    pack(step.eager, out);
    if (kind == StepKind::read) pack(step.read, out);
    if (kind == StepKind::loop) pack(step.loop, bodies, out);
}

void pack_slots(const Plan& plan, Writer& out) {
    out.number(plan.slots.size());
    for (const Slot& slot : plan.slots) {
        out.number(static_cast<std::uint64_t>(slot.kind));
        out.integer(slot.number);
        pack(slot.bytes, out);
        out.integer(slot.stage);
    }
    pack_integers(plan.temporary_group, out);
    shape::pack({plan.group_bytes.begin(), plan.group_bytes.end()}, out);
    pack_integers(plan.group_stage, out);
    out.integer(plan.result_count);
    out.integer(plan.given_count);
}

// Who packs a plan has told what can't be (api/exported.cpp).
void check(const Plan& plan) {
    if (plan.on_device.backend != nullptr || plan.kernels_by == KernelsBy::interpreter || !plan.calls.empty())
        throw InternalError("a plan that can't be packed");
}

void pack(const Plan& plan, const Bodies& bodies, Writer& out) {
    check(plan);
    plan.sizes.pack(out);
    pack_slots(plan, out);
    out.number(plan.kernels.size());
    for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
        nest::pack(plan.kernels[i], out);
        nest::pack(plan.schedules[i], out);
    }
    out.number(plan.steps.size());
    for (const Step& step : plan.steps) pack(step, bodies, out);
    out.number(plan.outputs.size());
    for (const ViewOf& output : plan.outputs) pack(output, out);
    out.number(static_cast<std::uint64_t>(plan.layout));
    out.number(plan.first_write);
    pack_flag(plan.of_numbers != nullptr, out);
    if (!plan.of_numbers) return;
    out.number(plan.of_numbers->is_number.size());
    for (const bool is_number : plan.of_numbers->is_number) pack_flag(is_number, out);
}

}  // namespace

Needs needs_of(const Plan& plan) {
    Bodies plans;
    note_plans(plan, plans);
    Needs needs;
    for (const Plan* each : plans) {
        for (std::size_t i = 0; i < each->kernels.size(); ++i) needs.kernels.push_back({&each->kernels[i], &each->schedules[i]});
        for (const Step& step : each->steps) {
            if (step.loop.numbers) needs.programs.push_back(&step.loop.numbers->loop.program);
        }
    }
    return needs;
}

void pack(const Plan& plan, Writer& out) {
    Bodies plans;
    note_plans(plan, plans);
    out.number(plans.size());
    for (const Plan* each : plans) pack(*each, plans, out);
}

namespace {

class Unpacker {
public:
    Unpacker(Reader& in, std::span<const codegen::KernelFunction> kernels, std::span<const codegen::KernelFunction> programs,
             const std::shared_ptr<void>& owner)
        : in_(in), kernels_(kernels), programs_(programs), owner_(owner) {}

    std::shared_ptr<Plan> last() {
        for (std::uint64_t left = in_.count(); left > 0 && in_.ok(); --left) plans_.push_back(plan());
        if (plans_.empty() || !kernels_.empty() || !programs_.empty()) in_.fail();
        if (!in_.ok()) return nullptr;
        plans_.back()->profiled = std::make_shared<LastProfile>();
        return plans_.back();
    }

private:
    // Calls `one` as often as a count says.
    template <class One>
    void each(const One& one) {
        for (std::uint64_t left = in_.count(); left > 0 && in_.ok(); --left) one();
    }
    int integer() { return static_cast<int>(in_.integer()); }
    bool flag() { return in_.below(2) != 0; }
    shape::Dim dim() { return shape::unpack_dim(plan_->sizes, in_); }
    shape::Dims dims() { return shape::unpack_dims(plan_->sizes, in_); }
    int slot() {
        const int number = integer();
        if (number < 0 || static_cast<std::size_t>(number) >= plan_->slots.size()) in_.fail();
        return number;
    }
    codegen::KernelFunction next(std::span<const codegen::KernelFunction>& functions) {
        if (functions.empty()) in_.fail();
        if (!in_.ok()) return nullptr;
        const codegen::KernelFunction function = functions.front();
        functions = functions.subspan(1);
        return function;
    }

    ViewOf view() {
        ViewOf view{slot(), ops::unpack_dtype(in_), dim(), {}, {}};
        view.shape = dims();
        view.strides = dims();
        if (view.shape.size() != view.strides.size()) in_.fail();
        return view;
    }
    ir::Attributes attributes() {
        ir::Attributes attributes;
        each([&] { attributes.ints.push_back(in_.integer()); });
        attributes.dims = dims();
        attributes.scalar = ir::unpack_scalar(in_);
        attributes.dtype = ops::unpack_dtype(in_);
        return attributes;
    }
    std::vector<ir::Call::Type> types() {
        std::vector<ir::Call::Type> types;
        each([&] {
            const Dtype dtype = ops::unpack_dtype(in_);
            types.push_back({dtype, dims()});
        });
        return types;
    }
    void slots() {
        each([&] {
            Slot slot{static_cast<Slot::Kind>(in_.below(static_cast<std::uint64_t>(Slot::Kind::given) + 1)), integer()};
            slot.bytes = dim();
            slot.stage = integer();
            plan_->slots.push_back(slot);
        });
        each([&] { plan_->temporary_group.push_back(integer()); });
        for (const shape::Dim bytes : dims()) plan_->group_bytes.push_back(bytes);
        each([&] { plan_->group_stage.push_back(integer()); });
        plan_->result_count = integer();
        plan_->given_count = integer();
        check_slots();
    }
    // That every number among them is of something which is there.
    void check_slots() {
        const int stages = plan_->sizes.bound_count();
        const auto is_below = [](int number, std::size_t end) { return number >= 0 && static_cast<std::size_t>(number) < end; };
        bool holds = plan_->group_bytes.size() == plan_->group_stage.size() && plan_->result_count >= 0 && plan_->given_count >= 0;
        for (const int group : plan_->temporary_group) holds = holds && is_below(group, plan_->group_bytes.size());
        for (const int stage : plan_->group_stage) holds = holds && stage >= 0 && stage <= stages;
        for (const Slot& slot : plan_->slots) {
            const std::size_t end = slot.kind == Slot::Kind::temporary ? plan_->temporary_group.size()
                                    : slot.kind == Slot::Kind::result  ? static_cast<std::size_t>(plan_->result_count)
                                    : slot.kind == Slot::Kind::given   ? static_cast<std::size_t>(plan_->given_count)
                                                                       : std::size_t{1} << 20;
            holds = holds && is_below(slot.number, end) && slot.stage >= 0 && slot.stage <= stages;
        }
        if (!holds) in_.fail();
    }
    void kernel_step(KernelStep& step) {
        step.number = in_.below(plan_->kernels.size());
        if (in_.ok()) step.function = first_[step.number];
        each([&] { step.slots.push_back(slot()); });
        each([&] { step.offsets.push_back(in_.integer()); });
        step.parallel = dim();
        step.cost = in_.integer();
        each([&] { step.scratch.push_back(ops::unpack_dtype(in_)); });
        step.inner_points = dim();
        if (step.slots.size() != step.offsets.size()) in_.fail();
    }
    void eager_step(EagerStep& step) {
        step.op = ops::unpack_op(in_);
        step.attributes = attributes();
        each([&] { step.operands.push_back(view()); });
        step.out = view();
        step.only_checks = flag();
    }
    void read_step(ReadStep& step) {
        step.number = integer();
        step.bound = integer();
        step.scalar = ir::unpack_scalar(in_);
        step.is_last = flag();
        if (step.bound < 0 || step.bound > plan_->sizes.bound_count()) in_.fail();
    }
    void loop_step(LoopStep& step) {
        const std::uint64_t body = in_.below(plans_.size());
        SmallVector<std::int64_t> looped;
        each([&] { looped.push_back(in_.integer()); });
        if (looped.size() != ir::Looped().ints().size()) in_.fail();
        if (!in_.ok()) return;
        step.body = plans_[body];
        step.looped = ir::Looped(looped);
        step.count = dim();
        step.states = types();
        step.collected = types();
        each([&] { step.strides.push_back(dims()); });
        step.parts = in_.number();
        each([&] { step.written.push_back(flag()); });
        each([&] { step.given.push_back(integer()); });
        if (!flag()) return;
        step.numbers = std::make_shared<NumberTurns>();
        step.numbers->loop.program.variables.resize(in_.count());
        for (const shape::Dim size : dims()) step.numbers->loop.sizes.push_back(size);
        step.numbers->function = next(programs_);
        step.numbers->owner = owner_;
    }
    Step step() {
        Step step{};
        const auto kind = static_cast<StepKind>(in_.below(static_cast<std::uint64_t>(StepKind::loop) + 1));
        step.is_kernel = kind == StepKind::kernel;
        if (step.is_kernel) {
            kernel_step(step.kernel);
            return step;
        }
        eager_step(step.eager);
        if (kind == StepKind::read) read_step(step.read);
        if (kind == StepKind::loop) loop_step(step.loop);
        if (in_.ok() && kind_of(step) != kind) in_.fail();
        return step;
    }
    std::shared_ptr<Plan> plan() {
        auto made = std::make_shared<Plan>();
        plan_ = made.get();
        made->sizes = shape::Sizes::unpack(in_);
        slots();
        first_.clear();
        each([&] {
            made->kernels.push_back(nest::unpack_kernel(made->sizes, in_));
            made->schedules.push_back(nest::unpack_schedule(made->sizes, in_));
            first_.push_back(next(kernels_));
        });
        each([&] { made->steps.push_back(step()); });
        each([&] { made->outputs.push_back(view()); });
        made->layout = static_cast<pass::Layout>(in_.below(static_cast<std::uint64_t>(pass::Layout::padded) + 1));
        made->first_write = in_.number();
        made->code = owner_;
        if (flag()) {
            auto numbers = std::make_shared<nest::NumberBody>();
            each([&] { numbers->is_number.push_back(flag()); });
            made->of_numbers = std::move(numbers);
        }
        return made;
    }

    Reader& in_;
    std::span<const codegen::KernelFunction> kernels_, programs_;  // those that are left
    const std::shared_ptr<void>& owner_;
    std::vector<std::shared_ptr<Plan>> plans_;
    Plan* plan_ = nullptr;                          // that is being read
    std::vector<codegen::KernelFunction> first_;    // of its kernels
};

}  // namespace

std::shared_ptr<Plan> unpack_plan(Reader& in, std::span<const codegen::KernelFunction> kernels, std::span<const codegen::KernelFunction> programs,
                                  const std::shared_ptr<void>& owner) {
    return Unpacker(in, kernels, programs, owner).last();
}

}  // namespace fastnp::plan
