#include "plan/in_place.h"

#include <unordered_map>

#include "ops/moves.h"

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
    // What is stored is the scatter, under the shape of what it was made of, and what else it reads lies elsewhere.
    bool is_stored_whole(const ir::Node& scatter, const ir::Node& update) {
        const bool reshaped = update.inputs[1]->op == Op::reshape;
        const Value stored = reshaped ? update.inputs[1]->inputs[0] : update.inputs[1];
        const Value source = reshaped && scatter.inputs[0]->op == Op::reshape ? scatter.inputs[0]->inputs[0] : scatter.inputs[0];
        if (stored != &scatter || source != update.inputs[0] || !ops::takes_all(&update) || !fails_early(scatter)) return false;
        const auto lies_there = [&](Value value) { return program_.storage.at(value).base == program_.storage.at(update.inputs[0]).base; };
        if (!lies_there(scatter.inputs[0]) || lies_there(scatter.inputs[1]) || lies_there(scatter.inputs[2])) return false;
        return uses(&scatter) == 1 && uses(update.inputs[1]) == 1;
    }

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
