#include "trace/turns.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "ops/moves.h"
#include "trace/storage.h"

namespace fastnp::trace {

using ir::Op;
using ir::Value;
using ops::Kind;

namespace {

using Values = std::unordered_set<Value>;

Values dependents(const std::vector<Value>& order, std::span<const Value> others) {
    Values found(others.begin(), others.end());
    for (const Value value : order) {
        if (std::any_of(value->inputs.begin(), value->inputs.end(), [&](Value input) { return found.contains(input); })) found.insert(value);
    }
    return found;
}

// The memory that an update writes to.
Value written_by(Value update) {
    Value at = update;
    while (at->op == Op::update) at = ops::viewed(at->inputs[0]);
    return at;
}

class Closing {
public:
    Closing(const ir::Graph& graph, Turns& turns) : turns_(turns), order_(ir::reachable(turns.ends())), made_(graph.part()) {
        const std::vector<Value> given = turns.given();
        varies_ = dependents(order_, given);
    }

    ir::Body run() {
        for (const Value value : turns_.given()) parameter(value);
        find_inside();
        for (const Value value : order_) {
            if (!inside_.contains(value) && read_.contains(value)) {
                turns_.constants.push_back(value);
                parameter(value);
            }
        }
        std::vector<Value> memory;
        for (const Value value : turns_.collected) memory.push_back(made_.parameter(value->dtype, value->shape));
        for (const Value value : order_) {
            if (inside_.contains(value) && !done_.contains(value)) put(value);
        }
        finish(memory);
        return std::move(body_);
    }

private:
    void parameter(Value value) { done_.emplace(value, made_.parameter(value->dtype, value->shape)); }

    // What the body computes: all that differs from turn to turn, and what is free.
    void find_inside() {
        std::vector<Value> open;
        const auto take = [&](Value value) {
            if (!varies_.contains(value) && !is_free(value) && !made_of_nothing(value) && !is_kept(value)) read_.insert(value);
            else if (inside_.insert(value).second) open.push_back(value);
        };
        for (const Value end : turns_.ends()) take(end);
        while (!open.empty()) {
            const Value value = open.back();
            open.pop_back();
            if (done_.contains(value)) continue;
            for (const Value input : value->inputs) take(input);
        }
    }

    bool is_kept(Value value) const {
        const bool is_given = value->op == Op::parameter || value->op == Op::turn || value->op == Op::example;
        return turns_.kept != nullptr && !is_given && turns_.kept->contains(value);
    }

    // Views of what the body reads cost nothing there.
    static bool is_free(Value value) { return ops::info(value->op).kind == Kind::move; }

    // What takes no array to compute is computed where it is used.
    bool made_of_nothing(Value value) {
        const auto known = made_of_nothing_.find(value);
        if (known != made_of_nothing_.end()) return known->second;
        const Kind kind = ops::info(value->op).kind;
        bool all = kind == Kind::map || kind == Kind::move || value->op == Op::pad;
        for (const Value input : value->inputs) all = all && made_of_nothing(input);
        if (kind == Kind::make) all = value->op != Op::turn && value->op != Op::example && value->op != Op::parameter;
        return made_of_nothing_[value] = all;
    }

    void put(Value value) {
        const ir::At at(made_, value);
        if (is_stencil_in_place(value)) {
            done_.emplace(value, contents_after(made_, value, done_.at(value->inputs[0]), done_.at(value->inputs[1])));
            return;
        }
        SmallVector<Value, 3> inputs;
        for (const Value input : value->inputs) inputs.push_back(done_.at(input));
        done_.emplace(value, made_.make(value->op, {inputs.data(), inputs.size()}, value->attributes, value->dtype, value->shape));
    }

    // The next state in other memory than this one: then neither has to be copied.
    bool is_stencil_in_place(Value value) const {
        return value->op == Op::update && is_state(value->inputs[0]) && std::find(turns_.next.begin(), turns_.next.end(), value) != turns_.next.end() &&
               ops::takes_most(value, made_.sizes()) && reads_elsewhere(value);
    }

    // States that are written to stay where they lie; others are results, in memory of their own.
    void finish(const std::vector<Value>& memory) {
        std::vector<Value> effects;
        bool writes = false;
        for (const Value value : order_) {
            const bool writes_state = value->op == Op::update && !is_stencil_in_place(value) && inside_.contains(value) && is_state(written_by(value));
            writes = writes || writes_state;
            if (writes_state || std::find(turns_.effects.begin(), turns_.effects.end(), value) != turns_.effects.end()) effects.push_back(done_.at(value));
        }
        for (std::size_t i = 0; i < memory.size(); ++i) effects.push_back(stored(memory[i], done_.at(turns_.collected[i])));
        std::vector<Value> outputs;
        std::vector<ir::Place> places;
        for (std::size_t i = 0; i < turns_.next.size(); ++i) {
            const Value next = turns_.next[i];
            outputs.push_back(done_.at(next));
            const bool stays = next->op == Op::update ? written_by(next) == turns_.states[i] && !is_stencil_in_place(next)
                                                      : is_state(next) && (!writes || next == turns_.states[i]);
            places.push_back(stays ? ir::Place{} : ir::Place{made_.next_owner(), outputs.back(), {}});
        }
        made_.set_outputs(std::move(outputs), std::move(places));
        made_.set_effects(std::move(effects));
        body_ = {std::move(made_), static_cast<int>(turns_.states.size()), static_cast<int>(turns_.parts.size()),
                 static_cast<int>(turns_.constants.size()), static_cast<int>(memory.size())};
    }

    bool is_state(Value value) const { return std::find(turns_.states.begin(), turns_.states.end(), value) != turns_.states.end(); }

    Value stored(Value memory, Value value) {
        const ir::At at(made_, value);
        ir::Attributes attributes;
        attributes.dims = shape::Dims(memory->shape.size(), shape::Dim(0));
        for (const shape::Dim dim : memory->shape) attributes.dims.push_back(dim);
        attributes.ints = SmallVector<std::int64_t>(memory->shape.size(), 1);
        const Value inputs[] = {memory, value};
        return made_.make(Op::update, inputs, std::move(attributes), memory->dtype, memory->shape);
    }

    Turns& turns_;
    std::vector<Value> order_;
    ir::Graph made_;
    ir::Body body_;
    Values varies_, inside_, read_;
    std::unordered_map<Value, bool> made_of_nothing_;
    std::unordered_map<Value, Value> done_;
};

}  // namespace

void Kept::add(std::uint32_t first, std::uint32_t end) {
    while (!ranges_.empty() && ranges_.back().first >= first) ranges_.pop_back();  // of a branch in this one
    if (first < end) ranges_.emplace_back(first, end);
}

bool Kept::contains(Value value) const {
    const auto after = std::ranges::upper_bound(ranges_, value->id, {}, [](const auto& range) { return range.first; });
    return after != ranges_.begin() && value->id < std::prev(after)->second;
}

std::vector<Value> Turns::given() const {
    std::vector<Value> all = states;
    all.insert(all.end(), parts.begin(), parts.end());
    return all;
}

std::vector<Value> Turns::ends() const {
    std::vector<Value> all = next;
    all.insert(all.end(), collected.begin(), collected.end());
    all.insert(all.end(), effects.begin(), effects.end());
    return all;
}

ir::Body close(const ir::Graph& graph, Turns& turns) { return Closing(graph, turns).run(); }

Value turn_value(ir::Graph& graph, Dtype dtype, const shape::Dims& shape) {
    ir::Attributes attributes;
    attributes.ints.push_back(graph.next_owner());
    attributes.dims = shape;
    attributes.dtype = dtype;
    return graph.make(Op::turn, {}, std::move(attributes), dtype, shape);
}

std::vector<bool> depend_on(std::span<const Value> values, std::span<const Value> others) {
    const Values found = dependents(ir::reachable(values), others);
    std::vector<bool> result;
    for (const Value value : values) result.push_back(found.contains(value));
    return result;
}

}  // namespace fastnp::trace
