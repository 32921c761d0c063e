#include "plan/in_place.h"

#include <algorithm>
#include <unordered_map>

#include "ops/catalogue.h"

namespace fastnp::plan {

using ir::Op;
using ir::Value;

namespace {

// The update that a step is, and nothing else.
Value update_of(const pass::Step& step) {
    if (step.node != nullptr) return step.node->op == Op::update ? step.node : nullptr;
    if (step.region.members.size() != 1 || step.region.members[0].value->op != Op::update) return nullptr;
    return step.region.members[0].value;
}

bool starts_at_zero(const ir::Node& update) {
    const std::size_t rank = update.shape.size();
    for (std::size_t i = 0; i < rank; ++i) {
        const bool whole =
            update.attributes.dims[i] == shape::Dim(0) && update.attributes.dims[rank + i] == update.shape[i] && update.attributes.ints[i] == 1;
        if (!whole) return false;
    }
    return true;
}

// A scatter that can't fail once it has written: all its indices are looked at before.
bool fails_early(const ir::Node& scatter) { return scatter.attributes.ints[0] != static_cast<std::int64_t>(Op::power); }

class Finder {
public:
    Finder(const ir::Graph& graph, const pass::Program& program) : graph_(graph), program_(program) {}

    std::unordered_set<Value> run() {
        std::unordered_set<Value> found;
        for (std::size_t i = 0; i + 1 < program_.steps.size(); ++i) {
            const Value scatter = program_.steps[i].node;
            if (scatter == nullptr || scatter->op != Op::scatter) continue;
            const Value update = update_of(program_.steps[i + 1]);
            if (update != nullptr && is_stored_whole(*scatter, *update)) found.insert(scatter);
        }
        return found;
    }

private:
    bool is_stored_whole(const ir::Node& scatter, const ir::Node& update) {
        Value stored = update.inputs[1];
        if (stored->op == Op::reshape) stored = stored->inputs[0];
        if (stored != &scatter || !starts_at_zero(update) || !fails_early(scatter)) return false;
        // The same memory, in the same order, and what else the scatter reads lies elsewhere.
        const pass::Storage& from = program_.storage.at(scatter.inputs[0]);
        const pass::Storage& to = program_.storage.at(update.inputs[0]);
        const bool same = from.base == to.base && from.offset == to.offset &&
                          (stored == update.inputs[1] ? from.strides == to.strides : views_all(scatter.inputs[0], update.inputs[0]));
        const auto elsewhere = [&](Value operand) { return program_.storage.at(operand).base != to.base; };
        return same && elsewhere(scatter.inputs[1]) && elsewhere(scatter.inputs[2]) && uses(&scatter) == 1 && uses(update.inputs[1]) == 1;
    }

    // Whether a value is another one under another shape.
    static bool views_all(Value value, Value other) { return value->op == Op::reshape && value->inputs[0] == other; }

    int uses(Value value) {
        if (uses_.empty()) {
            for (const Value root : graph_.outputs()) ++uses_[root];
            for (const Value each : ir::reachable(graph_.roots())) {
                for (const Value input : each->inputs) ++uses_[input];
            }
        }
        return uses_[value];
    }

    const ir::Graph& graph_;
    const pass::Program& program_;
    std::unordered_map<Value, int> uses_;
};

}  // namespace

std::unordered_set<Value> scatters_in_place(const ir::Graph& graph, const pass::Program& program) { return Finder(graph, program).run(); }

}  // namespace fastnp::plan
