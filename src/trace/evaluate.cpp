#include "trace/evaluate.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "device/movable.h"
#include "eager/eager.h"
#include "fastnp/error.h"
#include "ops/moves.h"

namespace fastnp::trace {

namespace {

// What is kept: so many values that those of a loop's last turn are at hand, and not so much memory that all of it is new.
constexpr std::size_t kept_values = 48, least_bytes = std::size_t{32} << 20, most_bytes = std::size_t{512} << 20;

eager::View view_of(const device::Memory& memory) {
    device::use_on_host(memory.data, device::Access::read);
    return {memory.data, memory.dtype, memory.shape, memory.strides};
}

}  // namespace

// What has to be computed for a value, in order.
std::vector<ir::Value> Evaluator::missing(ir::Value value, Uses& uses) const {
    std::vector<ir::Value> found, open{value};
    while (!open.empty()) {
        const ir::Value at = open.back();
        open.pop_back();
        if (known_.contains(at) || !uses.emplace(at, 0).second) continue;
        found.push_back(at);
        open.insert(open.end(), at->inputs.begin(), at->inputs.end());
    }
    std::sort(found.begin(), found.end(), [](ir::Value a, ir::Value b) { return a->id < b->id; });
    for (const ir::Value each : found) {
        for (const ir::Value input : each->inputs) ++uses[input];
    }
    return found;
}

device::Memory Evaluator::evaluate(ir::Value value, const ir::Graph& graph) {
    Uses uses;
    const std::vector<ir::Value> values = missing(value, uses);
    ++uses[value];
    for (const ir::Value each : values) {
        compute(each, graph);
        for (const ir::Value input : each->inputs) --uses[input];
        forget_oldest(uses);
    }
    return known_.at(value);
}

void Evaluator::forget() {
    for (const Computed& each : computed_) known_.erase(each.value);
    for (const auto& [loop, given] : looped_) known_.erase(loop);
    computed_.clear();
    looped_.clear();
    bytes_ = 0;
}

void Evaluator::forget_oldest(const Uses& uses) {
    const std::size_t most = std::clamp(kept_values * largest_, least_bytes, most_bytes);
    for (std::size_t left = computed_.size(); left > 0 && bytes_ > most; --left) {
        const Computed oldest = computed_.front();
        computed_.pop_front();
        const auto used = uses.find(oldest.value);
        if (used != uses.end() && used->second > 0) {
            computed_.push_back(oldest);
            continue;
        }
        bytes_ -= oldest.bytes;
        known_.erase(oldest.value);
    }
}

void Evaluator::compute(ir::Value value, const ir::Graph& graph) {
    if (value->op == ir::Op::loop) return take_turns(value, graph);
    if (value->op == ir::Op::after) return keep(value, looped_.at(value->inputs[0])[static_cast<std::size_t>(value->attributes.ints[0])], 0);
    if (value->op == ir::Op::turn) throw RecordError("a loop's body asks for a value that differs from turn to turn; where() can choose by it");
    const shape::Sizes& sizes = graph.sizes();
    Shape shape;
    for (const shape::Dim dim : value->shape) shape.push_back(sizes.hint(dim));
    ir::Attributes attributes = value->attributes;
    for (shape::Dim& dim : attributes.dims) dim = sizes.hint(dim);
    if (ops::is_move(value)) {
        const device::Memory& operand = known_.at(value->inputs[0]);
        if (const auto seen = eager::moved(value->op, attributes, view_of(operand), shape)) {
            return keep(value, {operand.buffer, seen->data, seen->dtype, seen->shape, seen->strides}, 0);
        }
    }
    std::vector<eager::View> operands;
    for (const ir::Value input : value->inputs) operands.push_back(view_of(known_.at(input)));
    device::Memory memory = device::allocate(value->dtype, shape);
    if (value->op == ir::Op::cast) eager::copy(operands[0], view_of(memory));
    else eager::run(value->op, attributes, operands, view_of(memory));
    const std::size_t bytes = memory.buffer->bytes();
    keep(value, std::move(memory), bytes);
}

namespace {

device::Memory part_of(const device::Memory& parts, std::int64_t number) {
    device::Memory part = parts;
    part.data = static_cast<char*>(parts.data) + number * parts.strides[0];
    part.shape.erase(part.shape.begin());
    part.strides.erase(part.strides.begin());
    return part;
}

// An array of `count` values like this one.
device::Memory stack_of(ir::Value like, std::int64_t count, const shape::Sizes& sizes) {
    Shape shape{count};
    for (const shape::Dim dim : like->shape) shape.push_back(sizes.hint(dim));
    return device::allocate(like->dtype, shape);
}

}  // namespace

// Each turn is computed by itself, as the recording has its values.
void Evaluator::take_turns(ir::Value loop, const ir::Graph& graph) {
    const ir::Looped looped(loop->attributes.ints);
    const ir::Body& body = *graph.bodies()[static_cast<std::size_t>(looped.body)];
    const auto& parameters = body.graph.parameters();
    const std::int64_t count = graph.sizes().hint(loop->attributes.dims[0]);
    const auto states = static_cast<std::size_t>(body.states), parts = static_cast<std::size_t>(body.parts);
    std::vector<device::Memory> now, collected, saved;
    for (std::size_t i = 0; i < states; ++i) now.push_back(known_.at(loop->inputs[i]));
    for (std::size_t i = 0; i < static_cast<std::size_t>(body.collected); ++i) {
        collected.push_back(stack_of(parameters[parameters.size() - static_cast<std::size_t>(body.collected) + i], count, graph.sizes()));
    }
    const std::int64_t saves = looped.save_every == 0 ? 0 : (count + looped.save_every - 1) / looped.save_every;
    for (std::size_t i = 0; i < states && looped.save_every != 0; ++i) saved.push_back(stack_of(parameters[i], saves, graph.sizes()));
    const auto goes_on = [&](std::int64_t turn) { return looped.is_while ? *static_cast<const bool*>(view_of(now[0]).data) : turn < count; };
    for (std::int64_t turn = 0; goes_on(turn); ++turn) {
        const std::int64_t number = looped.backward ? count - 1 - turn : turn;
        if (looped.save_every != 0 && turn % looped.save_every == 0) {
            const std::int64_t place = looped.backward ? saves - 1 - turn / looped.save_every : turn / looped.save_every;
            for (std::size_t i = 0; i < states; ++i) eager::copy(view_of(now[i]), view_of(part_of(saved[i], place)));
        }
        Evaluator inside;
        for (std::size_t i = 0; i < states; ++i) inside.set(parameters[i], now[i]);
        for (std::size_t i = states; i < loop->inputs.size(); ++i) {
            const device::Memory& operand = known_.at(loop->inputs[i]);
            inside.set(parameters[i], i < states + parts ? part_of(operand, number) : operand);
        }
        for (std::size_t i = 0; i < collected.size(); ++i) inside.set(parameters[loop->inputs.size() + i], part_of(collected[i], number));
        // What is collected is stored by effects: each an update of its memory.
        for (const ir::Value effect : body.graph.effects()) {
            const bool collects = effect->op == ir::Op::update && effect->inputs[0]->op == ir::Op::parameter &&
                                  effect->inputs[0]->attributes.ints[0] >= static_cast<std::int64_t>(loop->inputs.size());
            const device::Memory value = inside.evaluate(collects ? effect->inputs[1] : effect, graph);
            if (collects) eager::copy(view_of(value), view_of(inside.known_.at(effect->inputs[0])));
        }
        std::vector<device::Memory> next;
        for (const ir::Value output : body.graph.outputs()) next.push_back(inside.evaluate(output, graph));
        now = std::move(next);
    }
    now.insert(now.end(), collected.begin(), collected.end());
    now.insert(now.end(), saved.begin(), saved.end());
    looped_.insert_or_assign(loop, std::move(now));
    known_.insert_or_assign(loop, device::allocate(Dtype::bool_, {}));
}

void Evaluator::keep(ir::Value value, device::Memory memory, std::size_t bytes) {
    bytes_ += bytes;
    largest_ = std::max(largest_, bytes);
    computed_.push_back({value, bytes});
    known_.insert_or_assign(value, std::move(memory));
}

}  // namespace fastnp::trace
