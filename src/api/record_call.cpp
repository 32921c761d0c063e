#include "api/record_call.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "api/entry.h"
#include "api/layout.h"
#include "api/primitives.h"
#include "codegen/debug_lines.h"
#include "fastnp/detail/ahead.h"
#include "fastnp/detail/progress.h"
#include "fastnp/detail/timeline.h"
#include "pass/index_map.h"
#include "pass/left_out.h"
#include "shape/order.h"
#include "trace/call_site.h"

namespace fastnp::detail {

namespace {

// Where an argument's strides vary, they stay in the order of size that they have: results are laid out by it. An axis of one element has no say in
// it, so it stays one.
void guard_order(const Argument& argument, const shape::Dims& dims, const shape::Dims& strides, shape::Sizes& sizes) {
    for (std::size_t i = 0; i < dims.size(); ++i) {
        if (argument.shape[i] == 1) sizes.equal(dims[i], shape::Dim(1));
    }
    const shape::Steps steps = shape::steps_of({argument.shape, argument.shape + argument.rank}, {argument.strides, argument.strides + argument.rank});
    const auto size_of_step = [&](std::size_t axis) { return argument.strides[axis] < 0 ? sizes.subtract(shape::Dim(0), strides[axis]) : strides[axis]; };
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (steps[i] <= 0) continue;
        if (!strides[i].is_constant()) sizes.at_least(size_of_step(i), shape::Dim(1));
        for (std::size_t j = 0; j < steps.size(); ++j) {
            const bool varies = !strides[i].is_constant() || !strides[j].is_constant();
            if (varies && j != i && steps[j] > 0 && steps[i] >= steps[j]) sizes.at_least(size_of_step(i), size_of_step(j));
        }
    }
}

// How an argument in C order lies for the program: without elements it has no steps, as new arrays, or those of the array that it is a part of.
shape::Dims told_steps(const Argument& argument, const shape::Dims& steps, const shape::Dims& dims, shape::Sizes& sizes) {
    const bool has_steps = std::any_of(argument.strides, argument.strides + argument.rank, [](std::int64_t step) { return step != 0; });
    return has_steps ? steps : api::ordered_strides(dims, {}, argument.dtype, sizes);
}

// A recorded array for each argument, its varying sizes and strides as symbols.
std::vector<array> parameters_of(const compiler::Signature& signature, std::span<const Argument> call, const std::shared_ptr<trace::Recorder>& recorder,
                                 std::vector<shape::Dims>& strides) {
    ir::Graph& graph = recorder->graph();
    std::vector<std::int64_t> hints(signature.symbols.size(), 0);
    for (std::size_t a = 0; a < call.size(); ++a) {
        const compiler::ArgumentGuard& guard = signature.arguments[a];
        for (std::size_t i = 0; i < guard.shape.size(); ++i) {
            if (guard.shape[i].symbol >= 0) hints[static_cast<std::size_t>(guard.shape[i].symbol)] = call[a].shape[i];
        }
        for (std::size_t i = 0; i < guard.strides.size(); ++i) {
            if (guard.strides[i].symbol >= 0) hints[static_cast<std::size_t>(guard.strides[i].symbol)] = call[a].strides[i];
        }
    }
    std::vector<shape::Dim> symbols;
    for (std::size_t s = 0; s < signature.symbols.size(); ++s) {
        const compiler::Symbol& symbol = signature.symbols[s];
        symbols.push_back(graph.sizes().symbol(symbol.name, hints[s], symbol.low, symbol.high));
    }
    auto dim_of = [&](const compiler::Extent& extent) {
        return extent.symbol < 0 ? shape::Dim(extent.value) : symbols[static_cast<std::size_t>(extent.symbol)];
    };
    std::vector<array> parameters;
    for (const compiler::ArgumentGuard& guard : signature.arguments) {
        shape::Dims dims;
        for (const compiler::Extent& extent : guard.shape) dims.push_back(dim_of(extent));
        shape::Dims steps;
        for (const compiler::Extent& extent : guard.strides) steps.push_back(dim_of(extent));
        const Argument& argument = call[strides.size()];
        strides.push_back(guard.contiguous ? pass::contiguous_strides(dims, guard.dtype, graph.sizes()) : steps);
        const ir::Value parameter = graph.parameter(guard.dtype, dims);
        if (!guard.contiguous) guard_order(argument, dims, strides.back(), graph.sizes());
        const shape::Dims told = guard.contiguous ? told_steps(argument, strides.back(), dims, graph.sizes()) : steps;
        parameters.push_back(api::wrap(parameter, recorder, recorder->storage_of(parameter), told));
        parameters.back().body()->writable = argument.writable;
    }
    return parameters;
}

}  // namespace

void set_outputs(trace::Recorder& recorder, const std::vector<array>& outputs) {
    std::vector<ir::Value> values;
    std::vector<ir::Place> places;
    std::vector<std::pair<trace::StoragePtr, ir::Place>> known;
    for (const array& output : outputs) {
        const trace::StoragePtr storage = api::storage_of(recorder, output);
        values.push_back(api::value_of(recorder, output));
        if (values.back()->dtype != storage->whole->dtype) {  // parts of complex numbers, as an array of their own
            places.push_back({recorder.graph().next_owner(), values.back(), {}});
            continue;
        }
        auto found = std::find_if(known.begin(), known.end(), [&](const auto& each) { return each.first == storage; });
        if (found == known.end()) {
            known.emplace_back(storage, storage->held ? ir::Place{} : ir::Place{recorder.graph().next_owner(), storage->whole, storage->order});
            found = known.end() - 1;
        }
        places.push_back(found->second);
    }
    recorder.graph().set_outputs(std::move(values), std::move(places));
    recorder.graph().set_effects(recorder.effects());
    for (const ir::Value value : ir::reachable(recorder.graph().roots())) {
        if (value->op == ir::Op::example || value->op == ir::Op::across)
            throw TypeError("vmap: a value of the mapped function was kept, and is used outside of it; return it instead");
        if (value->op == ir::Op::turn) throw TypeError("loop: a value of the body was kept, and is used outside of it; make it a state, or collect it");
    }
}

namespace {

std::vector<device::Memory> memories_of(std::span<const Argument> call) {
    std::vector<device::Memory> memories;
    for (const Argument& argument : call) {
        device::Memory memory{nullptr, argument.data, argument.dtype, {}, {}};
        memory.shape = Shape(argument.shape, argument.shape + argument.rank);
        memory.strides = Strides(argument.strides, argument.strides + argument.rank);
        memories.push_back(std::move(memory));
    }
    return memories;
}

// Without elements there are no steps at times: a kernel would take a load that no step moves out of its loop, and there is nothing to be loaded.
shape::Dims steps_of(const device::Memory& memory, shape::Sizes& sizes) {
    const bool is_empty = std::ranges::find(memory.shape, 0) != memory.shape.end();
    return is_empty ? pass::contiguous_strides(shape::to_dims(memory.shape), memory.dtype, sizes) : shape::to_dims(memory.strides);
}

// Programs of machine code have lines where their debug information says them.
void find_lines() {
    static const bool set = [] {
        ir::set_line_finder(&codegen::debug_line);
        trace::set_has_lines(&codegen::has_debug_lines);
        return true;
    }();
    static_cast<void>(set);
}

}  // namespace

void take_recording(trace::Recorder& recorder, const std::vector<array>& outputs, Recording& made) {
    std::vector<array> whole = outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        auto numbers = api::numbers_of(outputs[i]);
        if (!numbers) continue;
        whole[i] = std::move(numbers->first);
        made.parts.push_back({static_cast<int>(i), numbers->second == ir::Op::imag});
    }
    set_outputs(recorder, whole);
    made.captured = recorder.captured();
    made.owns_captured = recorder.made_all_captured();
    made.written = recorder.written();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i].body()->stays_read_only) made.read_only.push_back(static_cast<int>(i));
    }
    made.reads = recorder.reads();
    for (const device::Memory& memory : made.captured) made.strides.push_back(steps_of(memory, recorder.graph().sizes()));
    made.graph = std::move(recorder.graph());
}

Recording record_call(const compiler::Signature& signature, std::span<const Argument> call, Engine::Callee& callee, const std::vector<trace::Found>& known,
                      std::size_t stop_at, ir::Location place) {
    const TimelineSpan span("record", "recording");
    note_progress("recording");
    const auto start = std::chrono::steady_clock::now();
    const auto recorder = std::make_shared<trace::Recorder>();
    const trace::Recorder::Scope scope(recorder);
    const trace::Recorder::Keeping keeping(*recorder);
    Recording made;
    const std::vector<array> parameters = parameters_of(signature, call, recorder, made.strides);
    if (Ahead::current() == nullptr) recorder->set_arguments(memories_of(call), known);
    recorder->set_home(device_of(call));
    find_lines();
    recorder->set_place(place);
    const Engine::Callee::Limits limits = callee.limits();
    recorder->set_limits(limits.steps, limits.reads, stop_at);
    const std::vector<array> outputs = callee.record(parameters);
    recorder->check_refusal();
    take_recording(*recorder, outputs, made);
    if (pass::leaves_out_float_errors(made.graph)) callee.note_left_out();
    made.times.emplace_back("record", std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    return made;
}

}  // namespace fastnp::detail
