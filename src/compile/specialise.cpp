#include "compile/specialise.h"

#include <chrono>
#include <set>
#include <utility>

#include "base/thread_pool.h"
#include "pass/commit.h"
#include "pass/fuse.h"
#include "pass/index_map.h"
#include "pass/keep.h"
#include "pass/place.h"
#include "pass/simplify.h"

namespace fastnp::compiler {

namespace {

// Notes how long its life was as a phase.
class Phase {
public:
    Phase(const char* name, plan::Times& times) : name_(name), times_(times) {}
    ~Phase() { times_.emplace_back(name_, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count()); }
    Phase(const Phase&) = delete;
    Phase& operator=(const Phase&) = delete;

private:
    const char* name_;
    plan::Times& times_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

bool fuses(const std::string& backend) { return backend != "eager"; }

}  // namespace

bool is_backend(const std::string& name) { return name == "llvm" || name == "eager"; }

void prepare(ir::Graph& graph, const std::string& backend, plan::Times& times) {
    const Phase phase("simplify", times);
    pass::place_outputs(graph);
    pass::commit_at_end(graph);
    if (fuses(backend)) pass::simplify(graph);
    pass::drop_copies(graph);
    pass::keep_overwritten(graph);
}

namespace {

plan::Plan made(ir::Graph& graph, const std::vector<shape::Dims>& parameter_strides, const plan::Bodies& bodies, const std::string& backend,
                const plan::Place& place, plan::Times& times) {
    const pass::Program program = [&] {
        const Phase phase("fuse", times);
        return pass::fuse(graph, parameter_strides,
                          {fuses(backend), place.device == nullptr ? pass::Walkers::of_pool(base::thread_count()) : pass::Walkers::of_gpu()});
    }();
    return plan::build(graph, program, bodies, place, times);
}

// The bodies of the loops that a graph has, with those inside of these.
void find_bodies(const ir::Graph& top, const ir::Graph& graph, std::set<std::int64_t>& found) {
    for (const ir::Value value : ir::reachable(graph.roots())) {
        if (value->op != ir::Op::loop) continue;
        const std::int64_t body = ir::Looped(value->attributes.ints).body;
        if (found.insert(body).second) find_bodies(top, top.bodies()[static_cast<std::size_t>(body)]->graph, found);
    }
}

// A body's sizes are those of the graph around it, at the same places in the table. What it raises leaves nothing to be undone: its memory is the loop's.
plan::Plan body_plan(ir::Graph& top, const ir::Body& body, const plan::Bodies& bodies, const std::string& backend, plan::Times& times) {
    ir::Graph graph = body.graph.copy();
    graph.share_bodies(top);
    std::swap(graph.sizes(), top.sizes());
    pass::place_outputs(graph);
    if (fuses(backend)) pass::simplify(graph);
    pass::drop_copies(graph);
    pass::keep_overwritten(graph);
    std::vector<shape::Dims> strides;
    for (const ir::Value parameter : graph.parameters()) strides.push_back(pass::contiguous_strides(parameter->shape, parameter->dtype, graph.sizes()));
    plan::Plan plan = made(graph, strides, bodies, backend, {}, times);  // loops are run by the host
    std::swap(graph.sizes(), top.sizes());
    return plan;
}

}  // namespace

plan::Plan specialise(ir::Graph& graph, const std::vector<shape::Dims>& parameter_strides, const std::string& backend, const plan::Place& place,
                      plan::Times& times) {
    plan::Bodies bodies(graph.bodies().size());
    std::vector<plan::Plan*> plans;
    std::set<std::int64_t> needed;  // inner ones have smaller numbers
    find_bodies(graph, graph, needed);
    for (const std::int64_t number : needed) {
        const auto place = static_cast<std::size_t>(number);
        const auto body = std::make_shared<plan::Plan>(body_plan(graph, *graph.bodies()[place], bodies, backend, times));
        plans.push_back(body.get());
        bodies[place] = body;
    }
    plan::Plan plan = made(graph, parameter_strides, bodies, backend, place, times);
    plans.push_back(&plan);
    plan::generate(plans, times);
    return plan;
}

}  // namespace fastnp::compiler
