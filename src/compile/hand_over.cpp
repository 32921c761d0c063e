#include "compile/hand_over.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "fastnp/error.h"
#include "ops/catalogue.h"
#include "ops/moves.h"
#include "trace/storage.h"

namespace fastnp::compiler {

namespace {

using ir::Op;
using ir::Value;
using Values = std::vector<Value>;
using Map = std::unordered_map<Value, Value>;

class HandOver {
public:
    // The strides of arguments may be symbols, of which a graph for users knows nothing: its sizes are numbers.
    HandOver(const ir::Graph& whole, const std::string& name) : whole_(whole), name_(name), outer_(whole.sibling()) { inner_.share_bodies(whole); }

    bool find() {
        for (const Value effect : whole_.effects()) {
            if (effect->op == Op::bind) throw RecordError("backend '" + name_ + "' takes graphs of fixed sizes, and one depends on values");
            if (effect->op == Op::update) note_write(effect);
        }
        for (const Value output : whole_.outputs()) {
            if (is_computed(ops::viewed(output))) add_target(ops::viewed(output));
        }
        for (const Value parameter : written_) add_target(versions_.at(parameter));
        Values needed = cone(targets_);
        const std::unordered_set<Value> given(needed.begin(), needed.end());
        for (const Value effect : whole_.effects()) {
            if (effect->op != Op::update && (ops::is_read(effect->op) || !given.contains(effect))) early_.push_back(effect);
        }
        needed_ = std::move(needed);
        return !targets_.empty();
    }

    HandedOver run() {
        HandedOver made;
        for (const Value parameter : whole_.parameters()) {
            to_outer_.emplace(parameter, outer_.parameter(parameter->dtype, parameter->shape));
        }
        for (const Value value : ir::reachable(early_)) remake(outer_, value, to_outer_);
        Values operands;
        for (const Value value : needed_) {
            if (value->op != Op::parameter && value->op != Op::given) continue;
            to_inner_.emplace(value, inner_.parameter(value->dtype, value->shape));
            made.parameters.push_back(value->op == Op::parameter ? static_cast<int>(value->attributes.ints[0]) : -1);
            operands.push_back(remake(outer_, value, to_outer_));
        }
        compute();
        call(operands, made);
        finish();
        made.graph = std::move(inner_);
        return made;
    }

    ir::Graph outer() { return std::move(outer_); }

private:
    // The memory that an update writes to, as it was in the beginning.
    Value written_by(Value update) const {
        Value at = update;
        while (at->op == Op::update) at = at->inputs[0];
        if (ops::is_move(at) && ops::viewed(at)->op == Op::parameter) throw RecordError("backend '" + name_ + "': writes to a part of an argument");
        return at;
    }

    void note_write(Value update) {
        const Value memory = written_by(update);
        if (memory->op != Op::parameter) return;
        if (versions_.insert_or_assign(memory, update).second) written_.push_back(memory);
    }

    bool is_argument(Value base) const { return base->op == Op::parameter || (base->op == Op::update && written_by(base)->op == Op::parameter); }
    bool is_computed(Value base) const { return !is_argument(base) && base->op != Op::given; }

    void add_target(Value value) {
        if (std::find(targets_.begin(), targets_.end(), value) == targets_.end()) targets_.push_back(value);
    }

    // What values are computed from, up to parameters and what calls gave; what a read passes on is its operand.
    static Values cone(const Values& targets) {
        Values open = targets, found;
        std::unordered_set<Value> seen;
        while (!open.empty()) {
            const Value value = open.back();
            open.pop_back();
            if (!seen.insert(value).second) continue;
            found.push_back(value);
            if (value->op != Op::given) open.insert(open.end(), value->inputs.begin(), value->inputs.end());
        }
        std::sort(found.begin(), found.end(), [](Value a, Value b) { return a->id < b->id; });
        return found;
    }

    static Value remake(ir::Graph& graph, Value value, Map& made) {
        if (const auto known = made.find(value); known != made.end()) return known->second;
        Values inputs;
        for (const Value input : value->inputs) inputs.push_back(remake(graph, input, made));
        const ir::At at(graph, value);
        return made.emplace(value, graph.make(value->op, inputs, value->attributes, value->dtype, value->shape)).first->second;
    }

    void compute() {
        Values updates;
        for (const Value value : needed_) {
            if (to_inner_.contains(value)) continue;
            if (value->op == Op::expect) {
                to_inner_.emplace(value, to_inner_.at(value->inputs[0]));
            } else if (value->op == Op::update && value->inputs[0]->op == Op::parameter) {
                // The argument itself is written to by what is left.
                const Value copy = trace::placed_copy(inner_, to_inner_.at(value->inputs[0]), {}, inner_.next_owner());
                const Value operands[] = {copy, to_inner_.at(value->inputs[1])};
                to_inner_.emplace(value, inner_.make(Op::update, operands, value->attributes, value->dtype, value->shape));
            } else {
                remake(inner_, value, to_inner_);
            }
            if (value->op == Op::update) updates.push_back(to_inner_.at(value));
        }
        Values ends;
        std::vector<ir::Place> places;
        for (const Value target : targets_) {
            ends.push_back(to_inner_.at(target));
            places.push_back({inner_.next_owner(), ends.back(), {}});
        }
        inner_.set_outputs(std::move(ends), std::move(places));
        inner_.set_effects(std::move(updates));
    }

    void call(const Values& operands, HandedOver& made) {
        ir::Call expected{name_, {}, {}};
        made.call = static_cast<int>(outer_.calls().size());
        ir::Attributes numbers;
        numbers.ints = {made.call,
                        static_cast<std::int64_t>(std::ranges::count_if(whole_.effects(), [](Value effect) { return ops::is_read(effect->op); }))};
        call_ = outer_.make(Op::call, operands, std::move(numbers), Dtype::bool_, {});
        for (const Value target : targets_) {
            ir::Attributes which;
            which.ints = {made.call, static_cast<std::int64_t>(expected.types.size())};
            which.dims = target->shape;
            expected.types.push_back({target->dtype, target->shape});
            given_.emplace(target, outer_.make(Op::given, {&call_, 1}, std::move(which), target->dtype, target->shape));
        }
        outer_.add_call(std::move(expected));
    }

    // Writes the arguments, and arranges the results in what was given.
    void finish() {
        Values effects;
        for (const Value effect : early_) effects.push_back(to_outer_.at(effect));
        effects.push_back(call_);
        for (const Value parameter : written_) {
            ir::Attributes all;
            for (std::size_t i = 0; i < parameter->shape.size(); ++i) {
                all.ints.push_back(1);
                all.dims.push_back(0);
            }
            for (const shape::Dim size : parameter->shape) all.dims.push_back(size);
            const Value operands[] = {to_outer_.at(parameter), given_.at(versions_.at(parameter))};
            effects.push_back(outer_.make(Op::update, operands, std::move(all), parameter->dtype, parameter->shape));
            now_.emplace(parameter, effects.back());
        }
        Values outputs;
        for (const Value output : whole_.outputs()) outputs.push_back(arranged(output));
        outer_.set_outputs(std::move(outputs));
        outer_.set_effects(std::move(effects));
    }

    Value arranged(Value output) {
        if (is_argument(output)) {
            const Value memory = written_by(output);
            const auto written = now_.find(memory);
            return written == now_.end() ? to_outer_.at(memory) : written->second;
        }
        if (const auto found = given_.find(output); found != given_.end()) return found->second;
        if (!ops::is_move(output)) return remake(outer_, output, to_outer_);
        const Value operand = arranged(output->inputs[0]);
        return outer_.make(output->op, {&operand, 1}, output->attributes, output->dtype, output->shape);
    }

    const ir::Graph& whole_;
    const std::string& name_;
    ir::Graph inner_, outer_;
    Values targets_, needed_, early_, written_;
    Map versions_;  // of what is written: the last one
    Map to_inner_, to_outer_, given_, now_;
    Value call_ = nullptr;
};

}  // namespace

std::optional<HandedOver> hand_over(ir::Graph& graph, const std::string& name) {
    HandOver hand_over(graph, name);
    if (!hand_over.find()) return std::nullopt;
    HandedOver made = hand_over.run();
    graph = hand_over.outer();
    return made;
}

}  // namespace fastnp::compiler
