#include "compile/specialise.h"

#include <chrono>
#include <map>
#include <utility>

#include "base/thread_pool.h"
#include "pass/commit.h"
#include "pass/device_forms.h"
#include "pass/fuse.h"
#include "pass/index_map.h"
#include "pass/keep.h"
#include "pass/place.h"
#include "pass/simplify.h"
#include "plan/padding.h"

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

pass::DeviceLibraries libraries_of(device::Backend& device) {
    return {[&device](Dtype dtype) { return device.lacks_products(dtype).empty(); }, [&device] { return device.lacks_transforms().empty(); }};
}

plan::Plan made(ir::Graph& graph, const std::vector<shape::Dims>& parameter_strides, const plan::Bodies& bodies, const std::string& backend,
                const plan::Use& use, plan::Times& times) {
    const pass::Program program = [&] {
        const Phase phase("fuse", times);
        if (use.device != nullptr && fuses(backend)) pass::write_for_device(graph, libraries_of(*use.device));
        return pass::fuse(graph, parameter_strides,
                          {fuses(backend), use.device == nullptr ? pass::Walkers::of_pool(base::thread_count()) : pass::Walkers::of_gpu(), use.layout});
    }();
    return plan::build(graph, program, bodies, use, times);
}

constexpr std::int64_t most_copied = 8;  // turns, up to which states in another layout cost more than they gain

// How the loops of a body are run.
struct Loops {
    bool saves = false;  // any of them saves states
    bool are_long = true;
};

// The bodies of the loops that a graph has, with those inside of these.
void find_bodies(const ir::Graph& top, const ir::Graph& graph, std::map<std::int64_t, Loops>& found) {
    for (const ir::Value value : ir::reachable(graph.roots())) {
        if (value->op != ir::Op::loop) continue;
        const ir::Looped looped(value->attributes.ints);
        const auto [at, is_new] = found.try_emplace(looped.body);
        at->second.saves = at->second.saves || looped.save_every != 0;
        at->second.are_long = at->second.are_long && top.sizes().hint(value->attributes.dims[0]) > most_copied;
        if (is_new) find_bodies(top, top.bodies()[static_cast<std::size_t>(looped.body)]->graph, found);
    }
}

// A body's sizes are those of the graph around it, at the same places in the table. What it raises leaves nothing to be undone: its memory is the loop's.
plan::Plan body_plan(ir::Graph& top, const ir::Body& body, const plan::Bodies& bodies, const std::string& backend, pass::Layout layout,
                     plan::Times& times) {
    ir::Graph graph = body.graph.copy();
    graph.share_bodies(top);
    std::swap(graph.sizes(), top.sizes());
    pass::place_outputs(graph);
    if (fuses(backend)) pass::simplify(graph);
    pass::drop_copies(graph);
    pass::keep_overwritten(graph);
    std::vector<shape::Dims> strides;
    for (const ir::Value parameter : graph.parameters()) {
        const bool is_state = strides.size() < static_cast<std::size_t>(body.states);
        strides.push_back(pass::strides_in(is_state ? layout : pass::Layout::contiguous, parameter->shape, parameter->dtype, graph.sizes()));
    }
    plan::Plan plan = made(graph, strides, bodies, backend, {.is_body = true, .layout = layout}, times);  // loops are run by the host
    std::swap(graph.sizes(), top.sizes());
    return plan;
}

// In the layout that suits it.
plan::Plan body_plan(ir::Graph& top, const ir::Body& body, const Loops& loops, const plan::Bodies& bodies, const std::string& backend,
                     plan::Times& times) {
    plan::Plan plan = body_plan(top, body, bodies, backend, pass::Layout::contiguous, times);
    if (loops.saves || !loops.are_long || !plan::gains_by_padding(plan, body, top.sizes())) return plan;
    plan::Plan padded = body_plan(top, body, bodies, backend, pass::Layout::padded, times);
    return plan::keeps_layout(padded, body, top.sizes()) ? std::move(padded) : std::move(plan);
}

}  // namespace

plan::Plan specialise(ir::Graph& graph, const std::vector<shape::Dims>& parameter_strides, const std::string& backend, const plan::Use& use,
                      plan::Times& times) {
    plan::Bodies bodies(graph.bodies().size());
    std::vector<plan::Plan*> plans;
    std::map<std::int64_t, Loops> needed;  // inner ones have smaller numbers
    find_bodies(graph, graph, needed);
    for (const auto& [number, loops] : needed) {
        const auto place = static_cast<std::size_t>(number);
        const auto body = std::make_shared<plan::Plan>(body_plan(graph, *graph.bodies()[place], loops, bodies, backend, times));
        plans.push_back(body.get());
        bodies[place] = body;
    }
    plan::Plan plan = made(graph, parameter_strides, bodies, backend, use, times);
    plans.push_back(&plan);
    plan::generate(plans, times);
    return plan;
}

}  // namespace fastnp::compiler
