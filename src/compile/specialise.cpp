#include "compile/specialise.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <utility>

#include "base/thread_pool.h"
#include "compile/backends.h"
#include "fastnp/detail/ahead.h"
#include "fastnp/detail/log.h"
#include "fastnp/detail/progress.h"
#include "fastnp/detail/timeline.h"
#include "fastnp/error.h"
#include "ops/planted.h"
#include "ops/verify.h"
#include "pass/commit.h"
#include "pass/device_forms.h"
#include "pass/fuse.h"
#include "pass/index_map.h"
#include "pass/keep.h"
#include "pass/place.h"
#include "pass/simplify.h"
#include "pass/written_parts.h"
#include "plan/device_run.h"
#include "plan/padding.h"

namespace fastnp::compiler {

namespace {

// Notes how long its life was as a phase.
class Phase {
public:
    Phase(const char* name, plan::Times& times) : name_(name), times_(times), span_("pass", name) { detail::note_progress(name); }
    ~Phase() { times_.emplace_back(name_, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count()); }
    Phase(const Phase&) = delete;
    Phase& operator=(const Phase&) = delete;

private:
    const char* name_;
    plan::Times& times_;
    detail::TimelineSpan span_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// A pass over a graph, by its name. Those that changed it are told of in the log, and noted if that is asked for.
template <class Pass>
void run_told(const char* name, const Pass& pass, ir::Graph& graph, const Notes& notes, const std::string& of) {
    const detail::TimelineSpan span("pass", name);
    const bool tells = detail::tells(detail::Channel::passes);
    if (!tells && notes.passes == nullptr) return pass(graph);
    const auto nodes = [&] { return ir::reachable(graph.roots()).size(); };
    const std::string text = graph.text();
    const std::size_t before = nodes();
    plan::Times times;
    {
        const Phase phase(name, times);
        pass(graph);
    }
    std::string changed = graph.text();
    if (changed == text) return;
    if (notes.passes != nullptr) notes.passes->push_back({of + name, changed});
    if (!tells) return;
    const std::pair<std::string_view, std::string> values[] = {
        {"pass", name}, {"before", std::to_string(before)}, {"after", std::to_string(nodes())}, {"milliseconds", std::to_string(times[0].second)}};
    std::string line = std::string(name) + ": " + values[1].second + " nodes, " + values[2].second + " after it";
    if (detail::tells_graphs()) line += "\n" + changed;
    detail::tell(detail::Channel::passes, line, values);
}

// What a pass gives is verified, where that is asked for.
template <class Pass>
void run(const char* name, const Pass& pass, ir::Graph& graph, const Notes& notes, const std::string& of = {}) {
    const auto with_fault = [&](ir::Graph& each) {
        pass(each);
        ops::plant(each, name);
    };
    run_told(name, with_fault, graph, notes, of);
    if (ops::verifies()) ops::verify(graph, std::string("after ") + name);
}

// The passes between a recording and fusion, in their order.
// `body`: its name, if it is a loop's; else empty.
void run_passes(ir::Graph& graph, const BuiltIn& backend, const Notes& notes, const std::string& body = {}) {
    run("place_outputs", pass::place_outputs, graph, notes, body);
    if (body.empty()) run("commit_at_end", pass::commit_at_end, graph, notes);
    if (backend.simplifies) run("join_written_parts", pass::join_written_parts, graph, notes, body);
    if (backend.simplifies) run("simplify", pass::simplify, graph, notes, body);
    run("drop_copies", pass::drop_copies, graph, notes, body);
    run("keep_overwritten", pass::keep_overwritten, graph, notes, body);
}

// The name of a body in notes; and notes for its passes, which are written down once, however often it is planned.
std::string name_of(const ir::Graph& top, const ir::Body& body) {
    const auto is_it = [&](const std::shared_ptr<const ir::Body>& each) { return each.get() == &body; };
    return "body " + std::to_string(std::find_if(top.bodies().begin(), top.bodies().end(), is_it) - top.bodies().begin()) + " ";
}

Notes notes_once(const Notes& notes, const std::string& body) {
    const auto is_there = [&](const PassInfo& each) { return each.name.starts_with(body); };
    const bool again = notes.passes != nullptr && std::any_of(notes.passes->begin(), notes.passes->end(), is_there);
    return {notes.times, again ? nullptr : notes.passes};
}

}  // namespace

void prepare(ir::Graph& graph, const std::string& backend, const Notes& notes) {
    const Phase phase("simplify", notes.times);
    ops::plant(graph, "record");
    if (ops::verifies()) ops::verify(graph, "as it was recorded");
    run_passes(graph, built_in(backend), notes);
}

namespace {

pass::DeviceLibraries libraries_of(device::Backend& device) {
    return {[&device](Dtype dtype) { return device.lacks_products(dtype).empty(); }, [&device] { return device.lacks_transforms().empty(); }};
}

plan::Plan made(ir::Graph& graph, const std::vector<shape::Dims>& parameter_strides, const plan::Bodies& bodies, const BuiltIn& backend,
                const plan::Use& use, const Notes& notes, const std::string& body = {}) {
    const pass::Program program = [&] {
        const Phase phase("fuse", notes.times);
        if (use.device != nullptr && backend.has_kernels()) {
            const auto for_device = [&](ir::Graph& each) { pass::write_for_device(each, libraries_of(*use.device)); };
            run("write_for_device", for_device, graph, notes, body);
        }
        return pass::fuse(graph, parameter_strides,
                          {backend.has_kernels(), use.device == nullptr ? pass::Walkers::of_pool(base::thread_count()) : pass::Walkers::of_gpu(),
                           use.layout, use.device != nullptr, !backend.fuses()});
    }();
    return plan::build(graph, program, bodies, use, notes.times);
}

constexpr std::int64_t most_copied = 8;  // turns, up to which states in another layout cost more than they gain

// How the loops of a body are run.
struct Loops {
    bool saves = false;  // any of them saves states
    bool are_long = true;
    bool are_counted = true;
};

// The bodies of the loops that a graph has, with those inside of these.
void find_bodies(const ir::Graph& top, const ir::Graph& graph, std::map<std::int64_t, Loops>& found) {
    for (const ir::Value value : ir::reachable(graph.roots())) {
        if (value->op != ir::Op::loop) continue;
        const ir::Looped looped(value->attributes.ints);
        const auto [at, is_new] = found.try_emplace(looped.body);
        at->second.saves = at->second.saves || looped.save_every != 0;
        at->second.are_counted = at->second.are_counted && !looped.is_while;
        at->second.are_long = at->second.are_long && (looped.is_while || top.sizes().hint(value->attributes.dims[0]) > most_copied);
        if (is_new) find_bodies(top, top.bodies()[static_cast<std::size_t>(looped.body)]->graph, found);
    }
}

// Those of the loops in a body that compute with numbers alone.
std::map<std::int64_t, std::shared_ptr<const nest::NumberBody>> inner_numbers(const ir::Graph& graph, const plan::Bodies& bodies) {
    std::map<std::int64_t, std::shared_ptr<const nest::NumberBody>> found;
    for (const ir::Value value : ir::reachable(graph.roots())) {
        if (value->op != ir::Op::loop) continue;
        const std::int64_t number = ir::Looped(value->attributes.ints).body;
        const auto& body = bodies[static_cast<std::size_t>(number)];
        if (body && body->of_numbers) found.emplace(number, body->of_numbers);
    }
    return found;
}

// A body's sizes are those of the graph around it, at the same places in the table. What it raises leaves nothing to be undone: its memory is the loop's.
plan::Plan body_plan(ir::Graph& top, const ir::Body& body, const plan::Bodies& bodies, const BuiltIn& backend, const plan::Use& use, const Notes& notes) {
    ir::Graph graph = body.graph.copy();
    graph.share_bodies(top);
    std::swap(graph.sizes(), top.sizes());
    const std::string name = name_of(top, body);
    const Notes own = notes_once(notes, name);
    run_passes(graph, backend, own, name);
    std::vector<shape::Dims> strides;
    for (const ir::Value parameter : graph.parameters()) {
        const bool is_state = strides.size() < static_cast<std::size_t>(body.states);
        strides.push_back(pass::strides_in(is_state ? use.layout : pass::Layout::contiguous, parameter->shape, parameter->dtype, graph.sizes()));
    }
    std::shared_ptr<const nest::NumberBody> of_numbers;
    if (backend.has_programs && use.device == nullptr) of_numbers = nest::number_body(graph, body, inner_numbers(graph, bodies));
    plan::Plan plan = made(graph, strides, bodies, backend, use, own, name);
    plan.of_numbers = std::move(of_numbers);
    std::swap(graph.sizes(), top.sizes());
    return plan;
}

// For the host, in the layout that suits it.
plan::Plan host_plan(ir::Graph& top, const ir::Body& body, const Loops& loops, const plan::Bodies& bodies, const BuiltIn& backend, const Notes& notes) {
    plan::Plan plan = body_plan(top, body, bodies, backend, {.is_body = true, .kernels_by = backend.kernels_by}, notes);
    if (loops.saves || !loops.are_long || !plan::gains_by_padding(plan, body, top.sizes())) return plan;
    plan::Plan padded = body_plan(top, body, bodies, backend, {.is_body = true, .layout = pass::Layout::padded, .kernels_by = backend.kernels_by}, notes);
    return plan::keeps_layout(padded, body, top.sizes()) ? std::move(padded) : std::move(plan);
}

// The plans of a graph's bodies. A device's are for loops that it does all of; the host does the others, with the loops inside of them.
class BodyPlans {
public:
    BodyPlans(ir::Graph& top, const BuiltIn& backend, device::Backend* device, const Notes& notes)
        : top_(top), backend_(backend), device_(device), notes_(notes), on_host_(top.bodies().size()), best_(top.bodies().size()) {
        find_bodies(top, top, loops_);
        for (const auto& [number, loops] : loops_) {  // inner ones have smaller numbers
            if (!loops.are_counted || !add_for_device(number)) best_[static_cast<std::size_t>(number)] = for_host(number);
        }
    }

    /// By their number.
    const plan::Bodies& best() const { return best_; }

    /// Those that a plan needs, inner ones first.
    void collect(const plan::Plan& plan, std::vector<plan::Plan*>& found) const {
        for (const plan::Step& step : plan.steps) {
            if (!step.is_loop()) continue;
            plan::Plan* const body = made_.at(step.loop.body.get()).get();
            if (std::find(found.begin(), found.end(), body) != found.end()) continue;
            collect(*body, found);
            found.push_back(body);
        }
    }

private:
    const ir::Body& body(std::int64_t number) const { return *top_.bodies()[static_cast<std::size_t>(number)]; }

    std::shared_ptr<const plan::Plan> add(plan::Plan plan) {
        auto made = std::make_shared<plan::Plan>(std::move(plan));
        made_.emplace(made.get(), made);
        return made;
    }

    bool add_for_device(std::int64_t number) {
        if (device_ == nullptr) return false;
        plan::Plan made = body_plan(top_, body(number), best_, backend_, {.device = device_, .is_body = true}, notes_);
        if (!plan::is_done_by_device(made)) return false;
        best_[static_cast<std::size_t>(number)] = add(std::move(made));
        return true;
    }

    std::shared_ptr<const plan::Plan> for_host(std::int64_t number) {
        std::map<std::int64_t, Loops> inside;
        find_bodies(top_, body(number).graph, inside);
        inside.try_emplace(number);
        for (const auto& [each, unused] : inside) {
            std::shared_ptr<const plan::Plan>& made = on_host_[static_cast<std::size_t>(each)];
            if (!made) made = add(host_plan(top_, body(each), loops_.at(each), on_host_, backend_, notes_));
        }
        return on_host_[static_cast<std::size_t>(number)];
    }

    ir::Graph& top_;
    const BuiltIn& backend_;
    device::Backend* device_;
    const Notes& notes_;
    std::map<std::int64_t, Loops> loops_;
    plan::Bodies on_host_, best_;
    std::map<const plan::Plan*, std::shared_ptr<plan::Plan>> made_;
};

}  // namespace

plan::Plan specialise(ir::Graph& graph, const std::vector<shape::Dims>& parameter_strides, const std::string& backend, const plan::Use& use,
                      const Notes& notes) {
    const BuiltIn& own = built_in(backend);
    if (use.device != nullptr && own.kernels_by == plan::KernelsBy::interpreter) {
        throw TypeError("backend '" + backend + "' computes on the host alone, and these arrays are on device '" + use.device->name() + "'");
    }
    const BodyPlans bodies(graph, own, use.device, notes);
    plan::Use with = use;
    with.kernels_by = own.kernels_by;
    plan::Plan plan = made(graph, parameter_strides, bodies.best(), own, with, notes);
    std::vector<plan::Plan*> plans;
    bodies.collect(plan, plans);
    plans.push_back(&plan);
    const detail::Ahead* const ahead = detail::Ahead::current();
    if (ahead == nullptr || ahead->until == detail::Ahead::Until::compiled) plan::generate(plans, notes.times);
    return plan;
}

}  // namespace fastnp::compiler
