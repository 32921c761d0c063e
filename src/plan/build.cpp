#include "plan/build.h"

#include <algorithm>
#include <chrono>
#include <unordered_set>

#include "base/compiled.h"
#include "fastnp/detail/timeline.h"
#include "fastnp/error.h"
#include "nest/lower.h"
#include "nest/planted.h"
#include "nest/verify.h"
#include "ops/moves.h"
#include "ops/verify.h"
#include "plan/device_call.h"
#include "plan/in_place.h"
#include "plan/profile.h"
#include "plan/unaligned_kernel.h"

namespace fastnp::plan {

using ir::Value;
using shape::Dim;

namespace {

class PlanBuilder {
public:
    PlanBuilder(ir::Graph& graph, const pass::Program& program, const Bodies& bodies, const Use& use, Times& times)
        : graph_(graph), program_(program), bodies_(bodies), sizes_(graph.sizes()), use_(use), times_(times) {
        plan_.on_device.backend = use.device;
        if (use.device != nullptr) plan_.on_device.calls = std::make_shared<DeviceCalls>();
        if (!use.is_body) plan_.profiled = std::make_shared<LastProfile>();
        plan_.layout = use.layout;
        plan_.kernels_by = use.kernels_by;
    }

    Plan run() {
        const auto start = std::chrono::steady_clock::now();
        find_stored();
        in_place_ = scatters_in_place(graph_, program_);
        std::vector<int> last(program_.steps.size(), -1);  // of the steps made of each
        for (std::size_t i = 0; i < program_.steps.size(); ++i) {
            const std::size_t first = plan_.steps.size();
            lower(program_.steps[i]);
            note_apart(program_.steps[i], first, last);
            last[i] = plan_.steps.size() == first ? -1 : static_cast<int>(plan_.steps.size()) - 1;
            if (in_place_.contains(program_.steps[i].node)) ++i;  // past the update that stores it
        }
        bind();
        find_number_loops();
        for (Value output : graph_.outputs()) plan_.outputs.push_back(view_of(output));
        place_temporaries();
        plan_.first_write = first_write();
        find_last_calls();
        const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
        times_.emplace_back("lower", spent.count());
        number_kernels();
        plan_.sizes = sizes_;
        plan_.calls = graph_.calls();
        return std::move(plan_);
    }

private:
    // Why the steps from `first` on, which are made of one, are no part of what comes before.
    void note_apart(const pass::Step& step, std::size_t first, const std::vector<int>& last) {
        for (std::size_t i = first; i < plan_.steps.size(); ++i) {
            const bool joins_blocks = i > first && plan_.steps[i].is_kernel;
            const int from = joins_blocks ? static_cast<int>(i) - 1 : step.from < 0 ? -1 : last[static_cast<std::size_t>(step.from)];
            if (from < 0) continue;
            plan_.steps[i].from = from;
            plan_.steps[i].apart = joins_blocks ? pass::Apart::blocks : step.apart;
        }
    }

    // Values that must be written: outputs, what precompiled steps touch, and what another region reads.
    void find_stored() {
        for (const Value output : graph_.outputs()) stored_.insert(base_of(output));
        for (const pass::Step& step : program_.steps) {
            if (step.node != nullptr) {
                stored_.insert(step.node);
                for (const Value input : step.node->inputs) stored_.insert(base_of(input));
                if (const auto joined = program_.joined.find(step.node); joined != program_.joined.end())
                    stored_.insert(joined->second.begin(), joined->second.end());
            } else {
                for (const Value input : nest::inputs_of(step.region, program_, sizes_)) stored_.insert(input);
                for (const pass::Region::Member& member : step.region.members) {
                    if (member.value->op == ir::Op::update) stored_.insert(base_of(member.value));
                }
            }
        }
    }

    Value base_of(Value value) const { return program_.storage.at(value).base; }

    void lower(const pass::Step& step) {
        if (step.node != nullptr && program_.joined.contains(step.node)) return copy_parts(step.node);
        if (step.node != nullptr && program_.gathered.contains(step.node)) return check_indices(step.node);
        if (step.node != nullptr) {
            Step eager{false};
            const bool is_update = step.node->op == ir::Op::update;
            eager.eager.op = is_update ? ir::Op::cast : step.node->op;
            if (!is_update) eager.eager.attributes = step.node->attributes;
            if (ops::is_read(step.node->op)) {
                eager.read = read_of(*step.node);
            }
            if (step.node->op == ir::Op::given || step.node->op == ir::Op::after) return;  // its call or loop puts it there
            if (step.node->op == ir::Op::loop) eager.loop = loop_of(*step.node);
            eager.lines = {step.node->where};
            order_.push_back({step.node, -1});
            plan_.steps.push_back(std::move(eager));
            return;
        }
        const auto is_stored = [&](Value value) { return stored_.contains(value); };
        auto kernels = use_.device == nullptr ? nest::lower(step.region, program_, sizes_, is_stored, temporaries_)
                                              : nest::lower_for_gpu(step.region, program_, sizes_, is_stored, temporaries_);
        for (nest::Lowered& lowered : kernels) {
            if (lowered.kernel.outer_stores.empty() && lowered.kernel.stages.empty()) continue;
            Step run{true};
            nest::plant(lowered.kernel);
            verify(lowered, "after lowering");
            if (use_.device == nullptr) schedule(lowered.kernel, run.kernel);
            else lay_out(lowered, run.kernel);
            verify(lowered, "after scheduling");
            run.lines = std::move(lowered.lines);
            run.kernel.scratch = lowered.kernel.scratch;
            run.kernel.inner_points = lowered.kernel.inner_points;
            order_.push_back({nullptr, static_cast<int>(plan_.kernels.size())});
            bindings_.push_back(std::move(lowered.bindings));
            lowered.kernel.function = base::compiled_function();
            plan_.kernels.push_back(std::move(lowered.kernel));
            plan_.steps.push_back(std::move(run));
        }
    }

    void verify(const nest::Lowered& lowered, std::string_view when) const {
        if (!ops::verifies()) return;
        const auto first = std::ranges::find_if(lowered.lines, [](ir::Location line) { return static_cast<bool>(line); });
        nest::verify(lowered.kernel, sizes_, std::string(when) + (first == lowered.lines.end() ? "" : " (" + ir::text_of(*first) + ")"));
    }

    // Of a take that kernels do: it gives nothing.
    void check_indices(Value take) {
        if (!ops::may_raise(*take)) return;
        Step check{false};
        check.eager.op = take->op;
        check.eager.attributes = take->attributes;
        for (const Value input : take->inputs) check.eager.operands.push_back(view_of(input));
        check.eager.out = check.eager.operands[0];
        check.eager.out.shape = {Dim(0)};
        check.eager.out.strides = {Dim(0)};
        check.eager.only_checks = true;
        check.lines = {take->where};
        order_.push_back({take, -1});
        plan_.steps.push_back(std::move(check));
    }

    // Of a concatenation whose other parts lie in their places: a step for each run of operands that don't.
    void copy_parts(Value node) {
        const std::vector<Value>& parts = program_.joined.at(node);
        const auto axis = static_cast<std::size_t>(node->attributes.ints[0]);
        ViewOf place = view_of(node);
        for (std::size_t i = 0; i < parts.size();) {
            Step copy{false};
            copy.eager.op = node->op;
            copy.eager.attributes = node->attributes;
            place.shape[axis] = 0;
            const bool is_there = parts[i] != nullptr;
            for (; i < parts.size() && (parts[i] != nullptr) == is_there; ++i) {
                copy.eager.operands.push_back(view_of(node->inputs[i]));
                place.shape[axis] = sizes_.add(place.shape[axis], node->inputs[i]->shape[axis]);
            }
            copy.eager.out = place;
            place.offset = sizes_.add(place.offset, sizes_.multiply(place.shape[axis], place.strides[axis]));
            if (is_there) continue;
            copy.lines = {node->where};
            order_.push_back({node, -1});
            plan_.steps.push_back(std::move(copy));
        }
    }

    void schedule(nest::Kernel& kernel, KernelStep& step) {
        const nest::Schedule schedule = nest::schedule(kernel, sizes_, use_.is_body);
        kernel.name = kind_of_kernel(kernel, schedule.lane);
        step.parallel = schedule.parallel;
        step.cost = schedule.cost;
        plan_.schedules.push_back(schedule);
    }

    void lay_out(nest::Lowered& lowered, KernelStep& step) {
        nest::Kernel& kernel = lowered.kernel;
        for (std::size_t i = 0; i < kernel.buffers.size(); ++i) {
            nest::Buffer& buffer = kernel.buffers[i];
            buffer.by_value = is_by_value(lowered.bindings[i].value);
        }
        const nest::Grid grid = nest::grid_of(kernel, sizes_);
        for (nest::Buffer& buffer : kernel.buffers) {  // where code has no vectors, only what it can have without
            buffer.checked = !buffer.aligned && !buffer.by_value && (grid.width > 1 || buffer.past % nest::Grid::vector_bytes == 0);
        }
        kernel.name = kind_of_kernel(kernel, grid.lane);
        step.parallel = grid.units;
        plan_.on_device.kernels.push_back({{}, grid, nest::sizes_of(kernel), std::make_shared<UnalignedKernel>()});
    }

    ReadStep read_of(const ir::Node& node) {
        const ir::Attributes& attributes = node.attributes;
        if (node.op == ir::Op::call) return {static_cast<int>(attributes.ints[1]), 0, {}, static_cast<int>(attributes.ints[0])};
        return {static_cast<int>(attributes.ints[0]), node.op == ir::Op::bind ? sizes_.stage(attributes.dims[0]) : 0, attributes.scalar};
    }

    LoopStep loop_of(const ir::Node& node) {
        LoopStep step;
        step.looped = ir::Looped(node.attributes.ints);
        step.count = node.attributes.dims[0];
        const ir::Body& body = *graph_.bodies()[static_cast<std::size_t>(step.looped.body)];
        step.body = bodies_[static_cast<std::size_t>(step.looped.body)];
        step.parts = static_cast<std::size_t>(body.parts);
        const std::vector<Value>& parameters = body.graph.parameters();
        const auto type_of = [&](std::size_t parameter) { return ir::Call::Type{parameters[parameter]->dtype, parameters[parameter]->shape}; };
        for (std::size_t i = 0; i < static_cast<std::size_t>(body.states); ++i) {
            step.states.push_back(type_of(i));
            step.strides.push_back(pass::strides_in(step.body->layout, step.states.back().shape, step.states.back().dtype, sizes_));
        }
        for (std::size_t i = parameters.size() - static_cast<std::size_t>(body.collected); i < parameters.size(); ++i)
            step.collected.push_back(type_of(i));
        step.written.assign(step.states.size(), false);
        for (const Value effect : body.graph.effects()) {
            if (effect->op != ir::Op::update) continue;
            Value at = effect;
            while (at->op == ir::Op::update || ops::is_move(at)) at = at->inputs[0];
            const auto place = static_cast<std::size_t>(at->attributes.ints[0]);
            if (place < step.states.size()) step.written[place] = true;
        }
        return step;
    }

    static std::string kind_of_kernel(const nest::Kernel& kernel, int lane) {
        if (kernel.stages.empty()) return "elementwise";
        if (kernel.outer_count() == 0 || kernel.block != 0) return "reduction";
        return lane >= static_cast<int>(kernel.outer_count()) ? "rows" : "columns";
    }

    bool is_by_value(Value value) const {
        if (value == nullptr || value->op != ir::Op::parameter) return false;
        return std::find(use_.by_value.begin(), use_.by_value.end(), static_cast<int>(value->attributes.ints[0])) != use_.by_value.end();
    }

    int slot_of(Value base) {
        const auto found = slots_.find(base);
        if (found != slots_.end()) return found->second;
        Slot slot{};
        if (base->op == ir::Op::parameter) {
            slot.kind = Slot::Kind::argument;
            slot.number = static_cast<int>(base->attributes.ints[0]);
            slot.by_value = is_by_value(base);
        } else if (base->op == ir::Op::given || base->op == ir::Op::after) {
            slot.kind = Slot::Kind::given;
            slot.number = plan_.given_count++;
        } else {
            const bool is_result = std::any_of(graph_.outputs().begin(), graph_.outputs().end(), [&](Value output) { return base_of(output) == base; });
            slot.kind = is_result ? Slot::Kind::result : Slot::Kind::temporary;
            slot.number = is_result ? plan_.result_count++ : temporary_count_++;
            slot.bytes = bytes_of(base);
        }
        slot.stage = stage_of(slot.bytes);
        plan_.slots.push_back(slot);
        slots_[base] = static_cast<int>(plan_.slots.size() - 1);
        return slots_[base];
    }

    // The bound size after which a size is known. A body binds none: they are all known before it.
    int stage_of(Dim bytes) const { return use_.is_body ? 0 : sizes_.stage(bytes); }

    Dim bytes_of(Value base) {
        if (use_.layout == pass::Layout::padded && !base->shape.empty()) return sizes_.multiply(program_.storage.at(base).strides[0], base->shape[0]);
        return sizes_.multiply(sizes_.product(base->shape), Dim(static_cast<std::int64_t>(itemsize_of(base->dtype))));
    }

    int slot_of_temporary(int number) {
        const auto found = temporary_slots_.find(number);
        if (found != temporary_slots_.end()) return found->second;
        const nest::Temporary& temporary = temporaries_[static_cast<std::size_t>(number)];
        const Dim bytes = sizes_.multiply(sizes_.product(temporary.shape), Dim(static_cast<std::int64_t>(itemsize_of(temporary.dtype))));
        plan_.slots.push_back({Slot::Kind::temporary, temporary_count_++, bytes});
        temporary_slots_[number] = static_cast<int>(plan_.slots.size() - 1);
        return temporary_slots_[number];
    }

    ViewOf view_of(Value value) {
        const pass::Storage& storage = program_.storage.at(value);
        return {slot_of(storage.base), value->dtype, storage.offset, value->shape, storage.strides};
    }

    ViewOf region_of(Value update) {
        const pass::Storage region = pass::region_of(*update, program_.storage.at(update), sizes_);
        return {slot_of(region.base), update->dtype, region.offset, update->inputs[1]->shape, region.strides};
    }

    void bind() {
        for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
            Step& step = plan_.steps[i];
            if (!step.is_kernel) {
                const Value node = order_[i].first;
                if (program_.joined.contains(node) || program_.gathered.contains(node)) continue;  // all is said
                if (node->op == ir::Op::update) {
                    step.eager.operands.push_back(view_of(node->inputs[1]));
                    step.eager.out = region_of(node);
                    continue;
                }
                for (const Value input : node->inputs) step.eager.operands.push_back(view_of(input));
                if (node->op == ir::Op::call) put_given(step.read);
                else if (step.is_loop()) put_given(*node, step.loop);
                else step.eager.out = ops::is_read(node->op) || in_place_.contains(node) ? step.eager.operands[0] : view_of(node);
                continue;
            }
            for (const nest::Binding& binding : bindings_[static_cast<std::size_t>(order_[i].second)]) {
                step.kernel.slots.push_back(binding.value != nullptr ? slot_of(binding.value) : slot_of_temporary(binding.temporary));
                step.kernel.offsets.push_back(binding.offset);
            }
        }
    }

    // Where the arrays of a call go, as far as anything looks at them.
    void put_given(ReadStep& call) {
        call.given.assign(graph_.calls()[static_cast<std::size_t>(call.call)].types.size(), -1);
        for (const pass::Step& step : program_.steps) {
            if (step.node == nullptr || step.node->op != ir::Op::given || step.node->attributes.ints[0] != call.call) continue;
            call.given[static_cast<std::size_t>(step.node->attributes.ints[1])] = slot_of(step.node);
        }
    }

    void put_given(const ir::Node& node, LoopStep& loop) {
        loop.given.assign(loop.states.size() + loop.collected.size() + (loop.looped.save_every == 0 ? 0 : loop.states.size()), -1);
        for (const pass::Step& step : program_.steps) {
            if (step.node == nullptr || step.node->op != ir::Op::after || step.node->inputs[0] != &node) continue;
            loop.given[static_cast<std::size_t>(step.node->attributes.ints[0])] = slot_of(step.node);
        }
    }

    // Loops whose bodies compute with numbers, as programs of the host: they give what is taken of them.
    void find_number_loops() {
        for (Step& step : plan_.steps) {
            if (!step.is_loop() || step.loop.body->of_numbers == nullptr || step.loop.body->on_device.backend != nullptr) continue;
            std::vector<bool> given;
            for (const int slot : step.loop.given) given.push_back(slot >= 0);
            auto loop = nest::number_loop(*step.loop.body->of_numbers, step.loop.looped, step.loop.count, given, sizes_);
            if (loop) step.loop.numbers = std::make_shared<NumberTurns>(NumberTurns{std::move(*loop)});
        }
    }

    template <class F>
    static void for_each_slot(const Step& step, F visit) {
        for (const int slot : step.kernel.slots) visit(slot);
        if (step.is_kernel) return;
        for (const ViewOf& operand : step.eager.operands) visit(operand.slot);
        if (step.read.call < 0 && !step.is_loop()) visit(step.eager.out.slot);
    }

    std::size_t first_write() const {
        const auto is_argument = [&](int slot) { return plan_.slots[static_cast<std::size_t>(slot)].kind == Slot::Kind::argument; };
        for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
            const Step& step = plan_.steps[i];
            if (!step.is_kernel && !step.is_loop() && !ops::is_read(step.eager.op) && !step.eager.only_checks && is_argument(step.eager.out.slot)) {
                return in_place_.contains(order_[i].first) ? i + 1 : i;  // such a scatter raises before it writes, if at all
            }
            if (!step.is_kernel) continue;
            const std::vector<nest::Buffer>& buffers = plan_.kernels[static_cast<std::size_t>(order_[i].second)].buffers;
            for (std::size_t b = 0; b < buffers.size(); ++b) {
                if (buffers[b].written && is_argument(step.kernel.slots[b])) return i;
            }
        }
        return plan_.steps.size();
    }

    void find_last_calls() {
        for (std::size_t i = plan_.steps.size(); i-- > 0;) {
            const Value node = order_[i].first;
            plan_.steps[i].read.is_last = true;
            if (node != nullptr && (ops::is_read(node->op) || ops::may_raise(*node))) break;
        }
    }

    // Temporaries of one size take over each other's place once they are dead.
    void place_temporaries() {
        std::vector<std::size_t> first(plan_.slots.size(), plan_.steps.size()), last(plan_.slots.size(), 0);
        for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
            for_each_slot(plan_.steps[i], [&](int slot) {
                first[static_cast<std::size_t>(slot)] = std::min(first[static_cast<std::size_t>(slot)], i);
                last[static_cast<std::size_t>(slot)] = i;
            });
        }
        std::vector<std::size_t> free_from;  // per group: the step after which it is free
        plan_.temporary_group.assign(static_cast<std::size_t>(temporary_count_), 0);
        std::vector<std::size_t> order;
        for (std::size_t s = 0; s < plan_.slots.size(); ++s) {
            if (plan_.slots[s].kind == Slot::Kind::temporary) order.push_back(s);
        }
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return first[a] < first[b]; });
        for (const std::size_t s : order) {
            const Slot& slot = plan_.slots[s];
            std::size_t group = 0;
            while (group < free_from.size() && !(free_from[group] < first[s] && plan_.group_bytes[group] == slot.bytes)) ++group;
            if (group == free_from.size()) {
                free_from.push_back(0);
                plan_.group_bytes.push_back(slot.bytes);
                plan_.group_stage.push_back(stage_of(slot.bytes));
            }
            free_from[group] = last[s];
            plan_.temporary_group[static_cast<std::size_t>(slot.number)] = static_cast<int>(group);
        }
    }

    void number_kernels() {
        for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
            if (plan_.steps[i].is_kernel) plan_.steps[i].kernel.number = static_cast<std::size_t>(order_[i].second);
        }
    }

    ir::Graph& graph_;
    const pass::Program& program_;
    const Bodies& bodies_;
    shape::Sizes& sizes_;
    const Use& use_;
    Times& times_;
    Plan plan_;
    std::unordered_set<Value> stored_;
    std::unordered_set<Value> in_place_;  // scatters
    std::vector<std::pair<Value, int>> order_;  // per step: the node, or the kernel's number
    std::vector<std::vector<nest::Binding>> bindings_;
    std::vector<nest::Temporary> temporaries_;
    std::unordered_map<Value, int> slots_;
    std::unordered_map<int, int> temporary_slots_;
    int temporary_count_ = 0;
};

}  // namespace

Plan build(ir::Graph& graph, const pass::Program& program, const Bodies& bodies, const Use& use, Times& times) {
    return PlanBuilder(graph, program, bodies, use, times).run();
}

}  // namespace fastnp::plan
