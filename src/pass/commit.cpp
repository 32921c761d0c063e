#include "pass/commit.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fastnp/error.h"
#include "ops/moves.h"
#include "trace/storage.h"

namespace fastnp::pass {

using ir::Op;
using ir::Value;
using ops::viewed;

namespace {

bool may_end(Value effect) { return ops::is_read(effect->op) || ops::may_raise(*effect); }

class Committer {
public:
    explicit Committer(ir::Graph& graph) : before_(graph), order_(ir::reachable(graph.roots())), graph_(graph.successor()) {}

    ir::Graph run() {
        for (const Value parameter : before_.parameters()) done_[parameter] = graph_.parameter(parameter->dtype, parameter->shape);
        for (const Value value : order_) {
            if (value->op != Op::parameter) rebuild(value);
        }
        std::vector<Value> effects;
        for (const Value effect : before_.effects()) {
            if (effect->op != Op::update) effects.push_back(done_.at(effect));
        }
        for (const Value parameter : written_) effects.push_back(commit(parameter));
        std::vector<Value> outputs;
        for (const Value output : before_.outputs()) outputs.push_back(result(output));
        graph_.set_outputs(std::move(outputs), before_.places());
        graph_.set_effects(std::move(effects));
        return std::move(graph_);
    }

private:
    void rebuild(Value value) {
        const ir::At at(graph_, value);
        SmallVector<Value, 3> inputs;
        for (const Value input : value->inputs) inputs.push_back(done_.at(input));
        if (value->op == Op::update) {
            const Value memory = viewed(value->inputs[0]);
            const auto last = owner_.find(memory);
            const Value parameter = last != owner_.end() ? last->second : memory;
            if (parameter->op == Op::parameter) {
                if (value->inputs[0] != memory) throw RecordError("writes through a reshape before it reads a value");
                if (memory == parameter) {
                    written_.push_back(parameter);
                    inputs[0] = trace::placed_copy(graph_, done_.at(parameter), {}, graph_.next_owner());
                }
                owner_[value] = parameter;
                last_[parameter] = value;
            }
        }
        done_[value] = graph_.make(value->op, {inputs.data(), inputs.size()}, value->attributes, value->dtype, value->shape);
    }

    // The parameter with all that was written to its copy.
    Value commit(Value parameter) {
        ir::Attributes attributes;
        attributes.dims = shape::Dims(parameter->shape.size(), shape::Dim(0));
        for (const shape::Dim dim : parameter->shape) attributes.dims.push_back(dim);
        attributes.ints = SmallVector<std::int64_t>(parameter->shape.size(), 1);
        const ir::At at(graph_, last_.at(parameter));
        const Value inputs[] = {done_.at(parameter), done_.at(last_.at(parameter))};
        committed_[parameter] = graph_.make(Op::update, inputs, std::move(attributes), parameter->dtype, parameter->shape);
        return committed_[parameter];
    }

    // Results that view an argument view it as it is then.
    Value result(Value output) {
        const Value memory = viewed(output);
        const auto owner = owner_.find(memory);
        if (owner == owner_.end()) return done_.at(output);
        return trace::rebase(graph_, done_.at(output), done_.at(memory), committed_.at(owner->second));
    }

    const ir::Graph& before_;
    std::vector<Value> order_;
    ir::Graph graph_;  // made anew, so that its numbers are in the order of the program
    std::unordered_map<Value, Value> done_;
    std::unordered_map<Value, Value> owner_;      // the parameter that an update is of
    std::unordered_map<Value, Value> last_;       // a parameter's last update
    std::unordered_map<Value, Value> committed_;
    std::vector<Value> written_;
};

}  // namespace

void commit_at_end(ir::Graph& graph) {
    const std::vector<Value>& effects = graph.effects();
    const auto first = std::find_if(effects.begin(), effects.end(), [](Value effect) { return effect->op == Op::update; });
    if (std::any_of(first, effects.end(), may_end)) graph = Committer(graph).run();
}

}  // namespace fastnp::pass
