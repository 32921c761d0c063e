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

bool may_end(Value effect) { return effect->op == Op::expect || ops::may_raise(*effect); }

class Committer {
public:
    explicit Committer(ir::Graph& graph) : graph_(graph) {}

    void run() {
        const std::vector<Value> before = graph_.effects();
        const auto first = std::find_if(before.begin(), before.end(), [](Value effect) { return effect->op == Op::update; });
        if (std::none_of(first, before.end(), may_end)) return;
        for (const Value value : ir::reachable(graph_.roots())) rebuild(value);
        std::vector<Value> effects;
        for (const Value effect : before) {
            if (effect->op != Op::update) effects.push_back(done_.at(effect));
        }
        for (const Value parameter : written_) effects.push_back(commit(parameter));
        std::vector<Value> outputs;
        for (const Value output : graph_.outputs()) outputs.push_back(result(output));
        graph_.set_outputs(std::move(outputs), graph_.places());
        graph_.set_effects(std::move(effects));
    }

private:
    void rebuild(Value value) {
        if (value->op == Op::parameter) {
            done_[value] = value;
            return;
        }
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
                    inputs[0] = trace::placed_copy(graph_, parameter, {}, graph_.next_owner());
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
        const Value inputs[] = {parameter, done_.at(last_.at(parameter))};
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

    ir::Graph& graph_;
    std::unordered_map<Value, Value> done_;
    std::unordered_map<Value, Value> owner_;      // the parameter that an update is of
    std::unordered_map<Value, Value> last_;       // a parameter's last update
    std::unordered_map<Value, Value> committed_;
    std::vector<Value> written_;
};

}  // namespace

void commit_at_end(ir::Graph& graph) { Committer(graph).run(); }

}  // namespace fastnp::pass
