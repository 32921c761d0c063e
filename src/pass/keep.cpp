#include "pass/keep.h"

#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ops/moves.h"
#include "pass/place.h"
#include "trace/storage.h"

namespace fastnp::pass {

using ir::Op;
using ir::Value;
using ops::is_move;
using ops::viewed;

namespace {

class Keeper {
public:
    explicit Keeper(ir::Graph& graph) : graph_(graph), order_(ir::reachable(graph.roots())) {}

    void run() {
        for (const Value value : order_) {
            if (value->op == Op::update) next_.emplace(viewed(value->inputs[0]), value);
        }
        if (next_.empty() || !find_late_reads()) return;
        rebuild();
    }

private:
    // The update after which the value reads what it overwrote, or null.
    Value overwritten_by(Value input, Value reader) const {
        const auto next = next_.find(viewed(input));
        const bool late = next != next_.end() && next->second != reader && (reader == nullptr || reader->id > next->second->id);
        return late ? next->second : nullptr;
    }

    // Whether an update stores what lies elsewhere in the same memory.
    static bool moves_within(Value value) { return value->op == Op::update && viewed(value->inputs[0]) == viewed(value->inputs[1]); }

    bool find_late_reads() {
        bool any = false;
        for (const Value value : order_) {
            if (is_move(value)) continue;
            any = any || moves_within(value);
            for (std::size_t i = value->op == Op::update ? 1 : 0; i < value->inputs.size(); ++i) {
                const Value update = overwritten_by(value->inputs[i], value);
                if (update == nullptr) continue;
                if (is_copy(value)) early_copies_[update].push_back(value);
                else kept_.insert(viewed(value->inputs[i]));
            }
        }
        for (const Value output : graph_.outputs()) {
            if (overwritten_by(output, nullptr) != nullptr) kept_.insert(viewed(output));
        }
        return any || !early_copies_.empty() || !kept_.empty();
    }

    void rebuild() {
        ir::Graph next = graph_.successor();
        for (const Value parameter : graph_.parameters()) done_[parameter] = next.parameter(parameter->dtype, parameter->shape);
        for (const Value value : order_) {
            if (done_.contains(value)) continue;
            if (value->op == Op::update) take_copies(next, value);
            put(next, value);
        }
        std::vector<Value> outputs, effects;
        for (const Value output : graph_.outputs()) outputs.push_back(read(next, output, nullptr));
        for (const Value effect : graph_.effects()) effects.push_back(done_.at(effect));
        next.set_outputs(std::move(outputs), graph_.places());
        next.set_effects(std::move(effects));
        graph_ = std::move(next);
    }

    // What has to be copied before an update.
    void take_copies(ir::Graph& next, Value update) {
        const Value memory = viewed(update->inputs[0]);
        const ir::At at(next, update);
        if (kept_.contains(memory)) copies_[memory] = trace::placed_copy(next, done_.at(memory), {}, next.next_owner());
        for (const Value copy : early_copies_[update]) put(next, copy);
    }

    void put(ir::Graph& next, Value value) {
        SmallVector<Value, 3> inputs;
        for (const Value input : value->inputs) inputs.push_back(is_move(value) ? moved(next, input) : read(next, input, value));
        const ir::At at(next, value);
        if (moves_within(value)) inputs[1] = trace::placed_copy(next, inputs[1], {}, next.next_owner());
        done_[value] = next.make(value->op, {inputs.data(), inputs.size()}, value->attributes, value->dtype, value->shape);
    }

    // A copy may be taken before what it copies through moves had its turn.
    Value moved(ir::Graph& next, Value value) {
        if (!done_.contains(value)) put(next, value);
        return done_.at(value);
    }

    Value read(ir::Graph& next, Value input, Value reader) {
        const bool is_copied = reader != nullptr && is_copy(reader);
        if (!is_copied && overwritten_by(input, reader) != nullptr && !(reader != nullptr && reader->op == Op::update && input == reader->inputs[0])) {
            const Value memory = viewed(input);
            return trace::rebase(next, moved(next, input), done_.at(memory), copies_.at(memory));
        }
        return moved(next, input);
    }

    ir::Graph& graph_;
    std::vector<Value> order_;
    std::unordered_map<Value, Value> next_;                          // the update of what lies in memory
    std::unordered_map<Value, std::vector<Value>> early_copies_;     // copies that the graph has already, by the update that they come before
    std::unordered_set<Value> kept_;                                 // memory that is copied before its update
    std::unordered_map<Value, Value> done_, copies_;
};

}  // namespace

void keep_overwritten(ir::Graph& graph) { Keeper(graph).run(); }

}  // namespace fastnp::pass
