#include "api/told_graph.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "api/exported.h"
#include "api/users_code.h"
#include "compile/specialise.h"
#include "fastnp/error.h"
#include "ir/location.h"
#include "ops/catalogue.h"

namespace fastnp::detail {

namespace {

// Where among its ints an op has the number of another one that joins elements; -1: it has none.
int place_of_join(ir::Op op) {
    switch (op) {
        case ir::Op::accumulate: return 1;
        case ir::Op::scatter: return 0;
        default: return -1;
    }
}

std::vector<std::string> texts_of(const shape::Dims& dims, const shape::Sizes& sizes) {
    std::vector<std::string> texts;
    for (const shape::Dim dim : dims) texts.push_back(sizes.text(dim));
    return texts;
}

ToldNode told_node(ir::Value value, const shape::Sizes& sizes) {
    ToldNode node{
        std::string(name_of(value->op)), {}, value->dtype, texts_of(value->shape, sizes), {}, texts_of(value->attributes.dims, sizes), {}, {}, {}};
    node.ints.assign(value->attributes.ints.begin(), value->attributes.ints.end());
    if (value->op == ir::Op::constant) node.scalar = value->attributes.scalar;
    const int join = place_of_join(value->op);
    if (join >= 0 && node.ints[static_cast<std::size_t>(join)] >= 0) {
        node.join = name_of(static_cast<ir::Op>(node.ints[static_cast<std::size_t>(join)]));
    }
    if (value->where) node.place = ir::text_of(value->where);
    return node;
}

// The value that a body leaves in an array which it was given to fill.
ir::Value filled(const ir::Graph& body, ir::Value parameter) {
    ir::Value last = parameter;
    for (const ir::Value effect : body.effects()) {
        ir::Value root = effect;
        while (root->op == ir::Op::update) root = root->inputs[0];
        if (root == parameter) last = effect;
    }
    return last;
}

ToldGraph told_graph(const ir::Graph& graph) {
    ToldGraph made;
    std::unordered_map<ir::Value, std::size_t> places;
    for (const ir::Value value : ir::nodes_of(graph)) {
        ToldNode node = told_node(value, graph.sizes());
        for (const ir::Value input : value->inputs) node.inputs.push_back(places.at(input));
        places.emplace(value, made.nodes.size());
        made.nodes.push_back(std::move(node));
    }
    for (const ir::Value parameter : graph.parameters()) made.inputs.push_back(places.at(parameter));
    for (const ir::Value output : graph.outputs()) made.outputs.push_back(places.at(output));
    static constexpr const char* conditions[] = {" == 0", " != 0", " >= 0"};
    for (const shape::SizeGuard& guard : graph.sizes().guards()) {
        made.guards.push_back(graph.sizes().text(guard.expression) + conditions[static_cast<std::size_t>(guard.kind)]);
    }
    for (const auto& body : graph.bodies()) {
        ToldGraph inner = told_graph(body->graph);
        inner.states = body->states;
        inner.parts = body->parts;
        inner.constants = body->constants;
        inner.collected = body->collected;
        inner.outputs.resize(static_cast<std::size_t>(body->states));
        const std::vector<ir::Value> all = ir::nodes_of(body->graph);
        for (const ir::Value parameter : std::span(body->graph.parameters()).last(static_cast<std::size_t>(body->collected))) {
            inner.outputs.push_back(static_cast<std::size_t>(std::ranges::find(all, filled(body->graph, parameter)) - all.begin()));
        }
        made.bodies.push_back(std::move(inner));
    }
    return made;
}

}  // namespace

ToldGraph told(Recording recording, std::span<const Argument> call, const Ahead& ahead, const void* kept) {
    std::string structure = ahead.describe ? ahead.describe(kept) : std::string();
    if (!recording.written.empty()) throw RecordError("it writes to an array that it was given, or reads from outside: give what it computes");
    if (!recording.parts.empty()) throw RecordError("it gives a view of the parts of complex numbers");
    if (!recording.reads.empty()) throw RecordError("it reads values while it is recorded");
    compiler::prepare(recording.graph, "aot_eager", {recording.times});
    check_sizes(recording.graph.sizes());
    ToldGraph made = told_graph(recording.graph);
    made.structure = std::move(structure);
    made.weights = examples_of(call.subspan(std::min(ahead.given, call.size())), recording.captured);
    return made;
}

}  // namespace fastnp::detail
