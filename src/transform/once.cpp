// Recordings that are run once: of transforms that are called outside of compiled functions.
#include <algorithm>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "api/body.h"
#include "api/entry.h"
#include "api/record_call.h"
#include "base/bytes.h"
#include "base/fork.h"
#include "compile/backends.h"
#include "device/movable.h"
#include "eager/eager.h"
#include "fastnp/backends.h"
#include "fastnp/detail/transform.h"
#include "fastnp/error.h"
#include "ops/collective.h"
#include "trace/looked_flags.h"
#include "trace/recorder.h"
#include "transform/once.h"
#include "transform/partition.h"
#include "transform/values.h"

namespace fastnp::detail {

namespace {

// A prepared graph's plan by the graph: the same function on arrays of the same kinds gives the same one. The first run of a graph is by precompiled
// kernels; one that comes again is worth compiling.
class Plans {
public:
    using EntryPtr = std::shared_ptr<const Entry>;

    /// `make`: gives the graph that the key stands for; `device`: where it is run; `at_once`: it is compiled the first time.
    EntryPtr find(const std::string& key, std::span<const Argument> call, device::Backend* device, const std::string& backend, bool at_once,
                  const std::function<Recording()>& make) {
        CompileOptions options;
        const std::string asked = backend.empty() ? options.backend : backend;
        options.backend = asked;
        {
            const std::scoped_lock lock(mutex_);
            const auto known = index_.find(key);
            if (known != index_.end()) {
                order_.splice(order_.begin(), order_, known->second);
                if (known->second->compiled) return known->second->compiled;
            } else if (device == nullptr && !at_once) {  // a device has no precompiled kernels
                options.backend = compiler::for_one_run(asked);
            }
        }
        auto entry = std::make_shared<Entry>();
        entry->device = device;
        Recording made = make();
        if (!made.graph.bodies().empty()) options.backend = asked;  // many turns are worth it the first time
        compiler::prepare(made.graph, options.backend, {made.times});
        entry->compile(std::move(made), call, options);
        keep(key, options.backend == asked ? entry : nullptr);
        return entry;
    }

private:
    struct Known {
        std::string key;
        EntryPtr compiled;  // null: it ran once
    };
    static constexpr std::size_t most_plans = 512;

    void keep(const std::string& key, EntryPtr compiled) {
        const std::scoped_lock lock(mutex_);
        const auto known = index_.find(key);
        if (known != index_.end()) {
            if (compiled) known->second->compiled = std::move(compiled);
            return;
        }
        order_.push_front({key, std::move(compiled)});
        index_.emplace(key, order_.begin());
        if (order_.size() <= most_plans) return;
        index_.erase(order_.back().key);
        order_.pop_back();
    }

    base::ForkSafe<std::mutex> mutex_;
    std::list<Known> order_;  // the last used first
    std::unordered_map<std::string, std::list<Known>::iterator> index_;
};

Plans& plans() {
    return base::made_once([] { return std::make_unique<Plans>(); });
}

class NoCalls final : public Engine::Callee {
public:
    std::vector<array> record(std::span<const array>) override { throw InternalError("a recording that is run once is not made again"); }
    std::shared_ptr<const void> keep() override { return nullptr; }
};

Argument argument_of(const array& held) {
    Argument argument{};
    borrow(held, argument);
    argument.writable = true;  // checked where it is written to
    return argument;
}

// Runs a packed graph on memory for its parameters.
std::vector<array> run(const std::string& packed, const std::vector<int>& written, const std::vector<array>& parameters, const std::string& backend,
                       bool at_once = false) {
    std::vector<Argument> call;
    std::string key = packed + "\n" + backend;
    std::vector<shape::Dims> strides;
    for (const array& each : parameters) {
        call.push_back(argument_of(each));
        strides.push_back(shape::to_dims(each.body()->memory.strides));
        for (const shape::Dim stride : strides.back()) append(key, stride.value());
    }
    device::Backend* const device = device_of(call);
    append(key, reinterpret_cast<std::uintptr_t>(device));
    for (const Argument& argument : call) {  // numbers that the host has are passed by value
        if (device != nullptr && argument.rank == 0) append(key, device::lies_on_device(argument.data));
    }
    const std::shared_ptr<const Entry> entry = plans().find(key, call, device, backend, at_once, [&] {
        Recording made;
        base::Reader in(packed);
        made.graph = ir::Graph::unpack(in);
        made.strides = strides;
        made.written = written;
        return made;
    });
    if (entry->writes_shared(call)) throw RecordError("writes into an array whose memory another one shares, within a transform");
    std::vector<std::int64_t> values(most_values);
    if (entry->plan.sizes.size() != 0) entry->plan.sizes.evaluate(nullptr, values.data());
    NoCalls callee;
    std::vector<array> results;
    const plan::Outcome outcome = entry->run(call, values.data(), callee, results);
    if (outcome.error) std::rethrow_exception(outcome.error);
    if (outcome.kind != plan::Outcome::Kind::done) throw InternalError("a recording that is run once came to no end");
    return results;
}

// What a packed graph makes of arrays, as values of the recording that there is.
std::vector<array> recorded_again(const std::string& packed, const std::vector<array>& parameters) {
    base::Reader in(packed);
    const ir::Graph graph = ir::Graph::unpack(in);
    trace::Recorder& recorder = transform::recorder();
    std::unordered_map<ir::Value, ir::Value> made;
    for (const ir::Value value : ir::reachable(graph.outputs())) {
        std::vector<ir::Value> inputs;
        for (const ir::Value input : value->inputs) inputs.push_back(made.at(input));
        if (value->op == ir::Op::parameter) {
            made[value] = transform::value_of(parameters[static_cast<std::size_t>(value->attributes.ints[0])]);
        } else if (value->op == ir::Op::mark || value->op == ir::Op::custom) {  // of transforms that are done
            made[value] = inputs[0];
        } else {
            const ir::At at(recorder.graph(), value);
            ir::Attributes attributes = value->attributes;
            if (ops::is_collective(value->op)) attributes.ints[ops::Collective::number] = recorder.graph().next_owner();
            made[value] = recorder.graph().make(value->op, inputs, attributes, value->dtype, value->shape);
            if (ops::may_raise(*made[value])) recorder.effect(made[value]);
        }
    }
    std::vector<array> outputs;
    for (const ir::Value output : graph.outputs()) outputs.push_back(transform::array_of(made.at(output)));
    return outputs;
}

std::string packed(const ir::Graph& graph) {
    base::Writer out;
    graph.pack(out);
    return out.bytes();
}

// Memory for the parameters of a recording: what it captured, in its places.
std::vector<array> parameters_of(const trace::Recorder& recorder, const ir::Graph& graph) {
    std::vector<array> parameters(graph.parameters().size());
    for (std::size_t i = 0; i < recorder.captured().size(); ++i) {
        parameters[static_cast<std::size_t>(recorder.captured_values()[i]->attributes.ints[0])] = api::wrap(device::Memory(recorder.captured()[i]));
    }
    return parameters;
}

}  // namespace

std::shared_ptr<OnceNotes>* once_notes() {
    auto* const recorder = dynamic_cast<OnceRecorder*>(trace::Recorder::active());
    return recorder == nullptr ? nullptr : &recorder->notes;
}

std::vector<array> run_packed(const std::string& packed, const std::vector<array>& parameters, const std::string& backend) {
    if (trace::Recorder::active() != nullptr) return recorded_again(packed, parameters);
    return run(packed, {}, parameters, backend, true);
}

void note_backend(std::string_view backend) {
    auto* const recorder = dynamic_cast<OnceRecorder*>(trace::Recorder::active());
    if (recorder != nullptr && recorder->backend.empty()) recorder->backend = backend;
}

void OnceRecorder::keep_overwritten() {
    const std::vector<int> overwritten = notes ? written() : std::vector<int>();
    if (overwritten.empty()) return;
    before_.emplace();
    for (std::size_t i = 0; i < captured().size(); ++i) {
        const ir::Value parameter = captured_values()[i];
        const bool is_kept = std::find(overwritten.begin(), overwritten.end(), static_cast<int>(parameter->attributes.ints[0])) != overwritten.end();
        device::Memory memory = captured()[i];
        if (is_kept) {
            memory = device::allocate(memory.dtype, memory.shape);
            device::use_on_host(captured()[i].data, device::Access::read);
            const device::Memory& now = captured()[i];
            eager::copy({now.data, now.dtype, now.shape, now.strides}, {memory.data, memory.dtype, memory.shape, memory.strides});
        }
        before_->set(parameter, std::move(memory));
    }
}

// Collectives are not made again: other ranks do not know of it.
device::Memory OnceRecorder::value_before(ir::Value value) {
    for (const ir::Value each : ir::reachable({&value, 1})) {
        if (ops::is_collective(each->op)) throw RankError("a value that other ranks have a part in is not computed again");
    }
    return before_ ? before_->evaluate(value, graph()) : value_now(value);
}

array value_before_run(const array& x) {
    auto* const recorder = dynamic_cast<OnceRecorder*>(trace::Recorder::active());
    return recorder == nullptr || !x.is_recorded() ? x : api::wrap(recorder->value_before(transform::value_of(x)), false);
}

bool is_written_late(const array& x) {
    const trace::Recorder* const recorder = trace::Recorder::active();
    return recorder != nullptr && recorder->is_once() && !x.is_recorded() && recorder->is_stored_to(x.body()->memory);
}

NotedValue note_value(const array& x) { return transform::value_of(x); }
array noted_array(NotedValue value) { return transform::array_of(static_cast<transform::Value>(value)); }

unsigned take_looked_flags() { return std::exchange(trace::looked_flags(), 0U); }

std::vector<array> run_recording(trace::Recorder& recorder, const std::vector<array>& outputs) {
    set_outputs(recorder, outputs);
    recorder.check_watched();
    auto* const once = dynamic_cast<OnceRecorder*>(&recorder);
    if (once != nullptr) once->keep_overwritten();
    const trace::Recorder::Scope meanwhile(nullptr);
    return run(packed(recorder.graph()), recorder.written(), parameters_of(recorder, recorder.graph()), once == nullptr ? std::string() : once->backend);
}

namespace {

// What is noted of a recording is let go with it, whatever comes: it may hold what holds the recording.
class Noting {
public:
    explicit Noting(OnceRecorder& recorder) : recorder_(recorder) {}
    ~Noting() { recorder_.notes.reset(); }
    Noting(const Noting&) = delete;
    Noting& operator=(const Noting&) = delete;
    void tell_computed() const {
        if (recorder_.notes) recorder_.notes->computed();
    }

private:
    OnceRecorder& recorder_;
};

}  // namespace

std::vector<array> recorded(const std::function<std::vector<array>()>& body) {
    if (trace::Recorder::active() != nullptr) return body();
    const auto recorder = std::make_shared<OnceRecorder>();
    const trace::Recorder::Scope scope(recorder);
    const trace::Recorder::Keeping keeping(*recorder);
    const Noting noting(*recorder);
    std::vector<array> results = run_recording(*recorder, body());
    noting.tell_computed();
    return results;
}

std::vector<array> recorded_in_two(const std::function<std::vector<array>(Stage& second)>& body, Later& later, StageReport* report,
                                   std::optional<std::int64_t> memory_budget) {
    Stage second;
    if (trace::Recorder::active() != nullptr) {
        std::vector<array> outputs = body(second);
        later = second.function;
        return outputs;
    }
    const auto recorder = std::make_shared<OnceRecorder>();
    const trace::Recorder::Scope scope(recorder);
    const trace::Recorder::Keeping keeping(*recorder);
    const Noting noting(*recorder);
    std::vector<array> outputs = body(second);
    ir::Graph& graph = recorder->graph();
    std::vector<ir::Value> late, ends;
    std::vector<array> inputs;
    for (const array& like : second.inputs) {
        late.push_back(graph.parameter(like.dtype(), api::dims_of(like)));
        recorder->note_later(late.back());
        inputs.push_back(transform::array_of(late.back()));
    }
    const std::size_t effects = recorder->effects().size();
    for (const array& each : second.function(inputs)) ends.push_back(transform::value_of(each));
    recorder->keep_effects(effects);
    const transform::Partition parts = transform::partition(graph, late, ends, memory_budget);
    if (report != nullptr) *report = {parts.bytes, parts.all_bytes, parts.recomputed};
    std::vector<ir::Value> needed = parts.saved;
    needed.insert(needed.end(), late.begin(), late.end());
    auto second_graph = std::make_shared<const std::string>(packed(transform::extract(graph, needed, ends)));
    const std::size_t given = outputs.size();
    for (const ir::Value value : parts.saved) outputs.push_back(transform::array_of(value));
    std::vector<array> results = run_recording(*recorder, outputs);
    noting.tell_computed();
    std::vector<array> saved(results.begin() + static_cast<std::ptrdiff_t>(given), results.end());
    results.resize(given);
    later = [second_graph, saved = std::move(saved), backend = recorder->backend](std::span<const array> values) {
        std::vector<array> parameters = saved;
        parameters.insert(parameters.end(), values.begin(), values.end());
        if (trace::Recorder::active() != nullptr) return recorded_again(*second_graph, parameters);
        return run(*second_graph, {}, parameters, backend);
    };
    return results;
}

}  // namespace fastnp::detail
