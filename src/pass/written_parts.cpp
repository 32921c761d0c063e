#include "pass/written_parts.h"

#include <algorithm>
#include <optional>
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
using shape::Dim;
using shape::Dims;

namespace {

// The parts of an array along an axis, in order; those without an update keep what the array was made with.
struct Parts {
    std::size_t axis = 0;
    struct Part {
        Value update;
        Dim length;
    };
    std::vector<Part> all;
};

class Joiner {
public:
    explicit Joiner(ir::Graph& graph) : before_(graph), sizes_(graph.sizes()), order_(ir::reachable(graph.roots())) {
        for (const Value value : order_) {
            for (const Value input : value->inputs) ++uses_[input];
            if (value->op == Op::update) written_.insert(value->inputs[0]);
        }
        for (const Value output : graph.outputs()) ++uses_[output];
        for (const Value value : order_) {
            if (value->op != Op::update || written_.contains(value)) continue;
            if (auto parts = parts_of(value)) parts_.emplace(value, *std::move(parts));
        }
    }

    bool finds_any() const { return !parts_.empty(); }

    ir::Graph run() {
        graph_ = before_.successor();
        for (const Value parameter : before_.parameters()) done_[parameter] = graph_.parameter(parameter->dtype, parameter->shape);
        for (const Value value : order_) {
            if (value->op == Op::parameter) continue;
            const ir::At at(graph_, value);
            const auto parts = parts_.find(value);
            done_[value] = parts != parts_.end() ? joined(value, parts->second) : same(value);
        }
        std::vector<Value> outputs, effects;
        std::vector<ir::Place> places = before_.places();
        for (std::size_t i = 0; i < before_.outputs().size(); ++i) outputs.push_back(output(before_.outputs()[i], places[i]));
        for (const Value effect : before_.effects()) effects.push_back(done_.at(effect));
        graph_.set_outputs(std::move(outputs), std::move(places));
        graph_.set_effects(std::move(effects));
        return std::move(graph_);
    }

private:
    // The updates by which an array came to be, of which nothing else is read: empty if it was anything but one value everywhere before.
    std::vector<Value> updates_of(Value last) const {
        std::vector<Value> updates;
        Value memory = last;
        for (; memory->op == Op::update; memory = memory->inputs[0]) {
            if (memory != last && uses_.at(memory) != 1) return {};
            updates.push_back(memory);
        }
        if (!is_copy(memory) || uses_.at(memory) != 1 || memory->inputs[0]->op != Op::constant) return {};
        return updates;
    }

    // The axis along which an update takes a part, all of the others; nothing if there are several such, or steps.
    static std::optional<std::size_t> axis_of(Value update) {
        const std::size_t rank = update->shape.size();
        std::optional<std::size_t> axis;
        for (std::size_t i = 0; i < rank; ++i) {
            if (update->attributes.ints[i] != 1) return std::nullopt;
            if (update->attributes.dims[i] == Dim(0) && update->inputs[1]->shape[i] == update->shape[i]) continue;
            if (axis) return std::nullopt;
            axis = i;
        }
        return axis;
    }

    std::optional<Parts> parts_of(Value last) const {
        std::vector<Value> updates = updates_of(last);
        if (updates.size() < 2) return std::nullopt;
        const std::optional<std::size_t> axis = axis_of(updates[0]);
        if (!axis || !std::ranges::all_of(updates, [&](Value update) { return axis_of(update) == axis; })) return std::nullopt;
        const auto start = [&](Value update) { return update->attributes.dims[*axis]; };
        std::ranges::stable_sort(updates, {}, [&](Value update) { return sizes_.hint(start(update)); });
        Parts parts{*axis, {}};
        Dim end = 0;
        for (const Value update : updates) {
            if (!take_gap(parts, end, start(update))) return std::nullopt;
            const Dim length = update->inputs[1]->shape[*axis];
            parts.all.push_back({update, length});
            end = sizes_.add(start(update), length);
        }
        if (!take_gap(parts, end, last->shape[*axis])) return std::nullopt;
        return parts;
    }

    // Between two parts: false if they may overlap.
    bool take_gap(Parts& parts, Dim from, Dim to) const {
        if (from == to) return true;
        const Dim length = sizes_.subtract(to, from);
        if (!length.is_constant() || length.value() < 0) return false;
        parts.all.push_back({nullptr, length});
        return true;
    }

    Value joined(Value last, const Parts& parts) {
        Value constant = last;
        while (constant->op == Op::update) constant = constant->inputs[0];
        constant = constant->inputs[0];
        SmallVector<Value, 3> operands;
        for (const auto& [update, length] : parts.all) {
            Dims shape = last->shape;
            shape[parts.axis] = length;
            operands.push_back(update != nullptr ? done_.at(update->inputs[1]) : filled(constant, shape));
        }
        ir::Attributes attributes;
        attributes.ints.push_back(static_cast<std::int64_t>(parts.axis));
        return graph_.make(Op::concatenate, {operands.data(), operands.size()}, std::move(attributes), last->dtype, last->shape);
    }

    Value filled(Value like, const Dims& shape) {
        ir::Attributes attributes = like->attributes;
        attributes.dims = shape;
        return graph_.make(Op::constant, {}, std::move(attributes), like->dtype, shape);
    }

    Value same(Value value) {
        SmallVector<Value, 3> inputs;
        for (const Value input : value->inputs) inputs.push_back(done_.at(input));
        return graph_.make(value->op, {inputs.data(), inputs.size()}, value->attributes, value->dtype, value->shape);
    }

    // A result may be such an array, or show a part of one.
    Value output(Value value, ir::Place& place) {
        const Value memory = ops::viewed(value);
        return parts_.contains(memory) ? placed_.placed(done_.at(value), memory, done_.at(memory), place) : done_.at(value);
    }

    ir::Graph& before_;
    shape::Sizes& sizes_;
    const std::vector<Value> order_;
    ir::Graph graph_;
    std::unordered_map<Value, int> uses_;
    std::unordered_set<Value> written_;  // what an update stores to
    std::unordered_map<Value, Parts> parts_;  // by the last update
    std::unordered_map<Value, Value> done_;
    PlacedResults placed_{graph_};
};

}  // namespace

void join_written_parts(ir::Graph& graph) {
    const auto& nodes = graph.nodes();
    if (std::ranges::none_of(nodes, [](const ir::Node& node) { return node.op == Op::update; })) return;
    Joiner joiner(graph);
    if (joiner.finds_any()) graph = joiner.run();
}

}  // namespace fastnp::pass
