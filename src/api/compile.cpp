// detail::Engine: a compiled function's entries, and the way of a call through them. A hit is: match, evaluate the sizes, run the plan, wrap.
#include "fastnp/compile.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <shared_mutex>

#include "api/body.h"
#include "codegen/jit.h"
#include "compile/signature.h"
#include "compile/specialise.h"
#include "fastnp/error.h"
#include "pass/index_map.h"
#include "shape/strides.h"

namespace fastnp::detail {

namespace {

constexpr int most_retries = 3;            // compilations in one call: the compiled sums that a read compares may differ from the recording's
constexpr std::size_t most_paths = 16;     // entries that differ in the values they read, before calls run as written
constexpr std::size_t most_values = 512;  // sizes of a plan that are evaluated on the stack

struct Entry {
    compiler::Signature signature;
    std::uint32_t number = 0;
    std::string reason;      // of this compilation
    std::string uncompiled;  // why it runs as written, if it does
    plan::Plan plan;
    plan::Times times;
    std::string ir;
    std::vector<shape::SizeGuard> guards;
    std::vector<device::Memory> captured;
    std::vector<int> written;  // parameters whose memory the plan writes to
    std::vector<int> used;     // parameters that the plan reads or writes
    std::vector<Scalar> reads; // values read while recording, which later calls must find again
    bool overlaps = false;     // of an entry that runs as written because arguments that it writes to share memory with others
    mutable std::atomic<std::uint64_t> last_call{0};  // by the count of calls
};
using EntryPtr = std::shared_ptr<const Entry>;

bool holds(const shape::SizeGuard& guard, const std::int64_t* values) {
    const std::int64_t value = guard.expression.is_constant() ? guard.expression.value() : values[guard.expression.id()];
    switch (guard.kind) {
        case shape::SizeGuard::Kind::zero: return value == 0;
        case shape::SizeGuard::Kind::nonzero: return value != 0;
        case shape::SizeGuard::Kind::nonnegative: return value >= 0;
    }
    return false;
}

array owned_copy(const Argument& argument) {
    Shape shape(argument.shape, argument.shape + argument.rank);
    Strides strides(argument.strides, argument.strides + argument.rank);
    return array::from_memory(argument.data, argument.dtype, shape, strides).copy();
}

}  // namespace

namespace {

struct Extent {
    const char *low, *high;
};

Extent extent_of(const Argument& argument) {
    Extent extent{static_cast<const char*>(argument.data), static_cast<const char*>(argument.data) + itemsize_of(argument.dtype)};
    for (int i = 0; i < argument.rank; ++i) {
        if (argument.shape[i] == 0) return {extent.low, extent.low};
        const std::int64_t step = (argument.shape[i] - 1) * argument.strides[i];
        (step < 0 ? extent.low : extent.high) += step;
    }
    return extent;
}

bool may_overlap(const Argument& a, const Argument& b) {
    const Extent x = extent_of(a), y = extent_of(b);
    if (x.low >= y.high || y.low >= x.high || x.low == x.high || y.low == y.high) return false;
    const Shape shapes[] = {Shape(a.shape, a.shape + a.rank), Shape(b.shape, b.shape + b.rank)};
    const Strides strides[] = {Strides(a.strides, a.strides + a.rank), Strides(b.strides, b.strides + b.rank)};
    return shape::may_overlap({a.data, shapes[0], strides[0], itemsize_of(a.dtype)}, {b.data, shapes[1], strides[1], itemsize_of(b.dtype)});
}

Argument argument_of(const device::Memory& memory) {
    return {memory.data, memory.shape.data(), memory.strides.data(), memory.dtype, static_cast<std::int8_t>(memory.shape.size()), true};
}

// Whether memory that an entry writes to is also that of another parameter, or shows an element twice: then the order of reads and writes counts.
bool writes_overlap(const Entry& entry, std::span<const Argument> call) {
    const auto parameter = [&](int number) {
        const auto place = static_cast<std::size_t>(number);
        return place < call.size() ? call[place] : argument_of(entry.captured[place - call.size()]);
    };
    for (const int number : entry.written) {
        const Argument target = parameter(number);
        if (shape::repeats(Shape(target.shape, target.shape + target.rank), Strides(target.strides, target.strides + target.rank))) return true;
        for (const int other : entry.used) {
            if (other != number && may_overlap(target, parameter(other))) return true;
        }
    }
    return false;
}

bool can_write(const Entry& entry, std::span<const Argument> call) {
    return std::all_of(entry.written.begin(), entry.written.end(), [&](int number) {
        const auto place = static_cast<std::size_t>(number);
        return place >= call.size() || call[place].writable;
    });
}

}  // namespace

struct Engine::State {
    CompileOptions options;
    mutable std::shared_mutex mutex;       // of `entries`
    std::recursive_mutex compiling;        // one recording at a time
    std::vector<EntryPtr> entries;
    std::uint32_t next_number = 0;
    std::atomic<std::uint64_t> hits{0}, misses{0}, compiles{0}, uncompiled{0};

    /// The entry for a call, with the values of its sizes.
    EntryPtr match(std::span<const Argument> call, std::string_view key, std::int64_t* values, const std::vector<Scalar>& known = {}) const {
        std::array<std::int64_t, most_values> symbols;
        const std::shared_lock lock(mutex);
        for (const EntryPtr& entry : entries) {
            if (entry->signature.symbols.size() > most_values || !entry->signature.matches(call, key, symbols.data())) continue;
            if (!entry->written.empty() && (!can_write(*entry, call) || writes_overlap(*entry, call) != entry->overlaps)) continue;
            if (!entry->uncompiled.empty()) return entry;
            if (entry->reads.size() < known.size() || !std::equal(known.begin(), known.end(), entry->reads.begin())) continue;
            if (entry->plan.sizes.size() != 0) entry->plan.sizes.evaluate(symbols.data(), values);
            bool fits = true;
            for (const shape::SizeGuard& guard : entry->guards) fits = fits && holds(guard, values);
            if (fits) return entry;
        }
        return nullptr;
    }

    plan::Outcome run(const Entry& entry, std::span<const Argument> call, const std::int64_t* values, std::vector<array>& results) const {
        SmallVector<void*, 16> pointers;
        for (const Argument& argument : call) pointers.push_back(argument.data);
        for (const device::Memory& memory : entry.captured) pointers.push_back(memory.data);
        std::vector<plan::Result> produced;
        produced.reserve(entry.plan.outputs.size());
        plan::Outcome outcome = entry.plan.run({pointers.data(), pointers.size()}, values, produced);
        if (outcome.kind != plan::Outcome::Kind::done) return outcome;
        results.reserve(produced.size());
        for (plan::Result& result : produced) results.push_back(finish(entry, call, std::move(result)));
        return outcome;
    }

    // A result that is an argument's memory, or a view of it, shares it.
    static array finish(const Entry& entry, std::span<const Argument> call, plan::Result result) {
        if (result.argument < 0) return api::wrap(std::move(result.memory));
        const auto number = static_cast<std::size_t>(result.argument);
        if (number >= call.size()) {
            result.memory.buffer = entry.captured[number - call.size()].buffer;
            return api::wrap(std::move(result.memory));
        }
        const Argument& argument = call[number];
        const array held = argument.hold != nullptr ? argument.hold(argument) : owned_copy(argument);
        const device::Memory& memory = held.body()->memory;
        const std::ptrdiff_t offset = static_cast<char*>(result.memory.data) - static_cast<char*>(argument.data);
        if (argument.hold == nullptr && memory.strides != Strides(argument.strides, argument.strides + argument.rank)) {
            return api::wrap(std::move(result.memory)).copy();
        }
        result.memory.buffer = memory.buffer;
        result.memory.data = static_cast<char*>(memory.data) + offset;
        return api::wrap(std::move(result.memory), held.writable());
    }

    void note_call(const Entry& entry) const {
        entry.last_call.store(hits.load(std::memory_order_relaxed) + misses.load(std::memory_order_relaxed), std::memory_order_relaxed);
    }

    EntryPtr add(std::shared_ptr<Entry> entry) {
        const std::unique_lock lock(mutex);
        entry->number = next_number++;
        // The widest first: a generalised entry is the one that later calls will want.
        entries.insert(entries.begin(), entry);
        if (entries.size() > options.cache_size_limit) {
            const auto longest = std::min_element(entries.begin() + 1, entries.end(), [](const EntryPtr& a, const EntryPtr& b) {
                return a->last_call.load(std::memory_order_relaxed) < b->last_call.load(std::memory_order_relaxed);
            });
            entries.erase(longest);
        }
        return entry;
    }

    // Why there is no entry for this call, and which sizes should vary from now on.
    std::string explain_miss(std::span<const Argument> call, std::string_view key, std::vector<std::pair<int, int>>& dynamic) const {
        const std::shared_lock lock(mutex);
        std::string reason = "first call";
        bool first = true;
        for (const EntryPtr& entry : entries) {
            if (first) reason = entry->signature.mismatch(call, key);
            first = false;
            std::vector<std::pair<int, int>> differing;
            if (entry->signature.same_but_sizes(call, key, differing)) {
                dynamic.insert(dynamic.end(), differing.begin(), differing.end());
                reason = entry->signature.mismatch(call, key);
            }
        }
        return reason;
    }

    // How many entries fit a call but for the values that they read.
    std::size_t paths(std::span<const Argument> call, std::string_view key) const {
        std::array<std::int64_t, most_values> symbols;
        const std::shared_lock lock(mutex);
        return static_cast<std::size_t>(std::count_if(entries.begin(), entries.end(), [&](const EntryPtr& entry) {
            return !entry->reads.empty() && entry->signature.symbols.size() <= most_values && entry->signature.matches(call, key, symbols.data());
        }));
    }

    static std::vector<array> parameters_of(const compiler::Signature& signature, std::span<const Argument> call,
                                            const std::shared_ptr<trace::Recorder>& recorder, std::vector<shape::Dims>& strides);
    static void set_outputs(trace::Recorder& recorder, const std::vector<array>& outputs);
    EntryPtr specialise(std::span<const Argument> call, std::string_view key, const Record& record, const std::vector<Scalar>& known);
    EntryPtr find_or_make(std::span<const Argument> call, std::string_view key, const Record& record, const Keep& keep, const std::vector<Scalar>& known,
                          std::int64_t* values, int& made);
};

// Where an argument's strides vary, they stay in the order of size that they have: results are laid out by it.
static void guard_order(const Argument& argument, const shape::Dims& strides, shape::Sizes& sizes) {
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

// A recorded array for each argument, its varying sizes and strides as symbols.
std::vector<array> Engine::State::parameters_of(const compiler::Signature& signature, std::span<const Argument> call,
                                                const std::shared_ptr<trace::Recorder>& recorder, std::vector<shape::Dims>& strides) {
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
        strides.push_back(guard.contiguous ? pass::contiguous_strides(dims, guard.dtype, graph.sizes()) : steps);
        const ir::Value parameter = graph.parameter(guard.dtype, dims);
        if (!guard.contiguous) guard_order(call[strides.size() - 1], strides.back(), graph.sizes());
        parameters.push_back(api::wrap(parameter, recorder, recorder->storage_of(parameter), strides.back()));
        parameters.back().body()->writable = call[parameters.size() - 1].writable;
    }
    return parameters;
}

static std::vector<int> used_parameters(const ir::Graph& graph) {
    std::vector<int> numbers;
    for (const ir::Value value : ir::reachable(graph.roots())) {
        if (value->op == ir::Op::parameter) numbers.push_back(static_cast<int>(value->attributes.ints[0]));
    }
    return numbers;
}

// The values to return, and which of them lie in one array's memory.
void Engine::State::set_outputs(trace::Recorder& recorder, const std::vector<array>& outputs) {
    std::vector<ir::Value> values;
    std::vector<ir::Place> places;
    std::vector<std::pair<trace::StoragePtr, ir::Place>> known;
    for (const array& output : outputs) {
        const trace::StoragePtr storage = api::storage_of(recorder, output);
        values.push_back(api::value_of(recorder, output));
        auto found = std::find_if(known.begin(), known.end(), [&](const auto& each) { return each.first == storage; });
        if (found == known.end()) {
            known.emplace_back(storage, storage->held ? ir::Place{} : ir::Place{recorder.graph().next_owner(), storage->whole, storage->order});
            found = known.end() - 1;
        }
        places.push_back(found->second);
    }
    recorder.graph().set_outputs(std::move(values), std::move(places));
    recorder.graph().set_effects(recorder.effects());
}

static std::vector<device::Memory> memories_of(std::span<const Argument> call) {
    std::vector<device::Memory> memories;
    for (const Argument& argument : call) {
        device::Memory memory{nullptr, argument.data, argument.dtype, {}, {}};
        memory.shape = Shape(argument.shape, argument.shape + argument.rank);
        memory.strides = Strides(argument.strides, argument.strides + argument.rank);
        memories.push_back(std::move(memory));
    }
    return memories;
}

EntryPtr Engine::State::specialise(std::span<const Argument> call, std::string_view key, const Record& record, const std::vector<Scalar>& known) {
    auto entry = std::make_shared<Entry>();
    std::vector<std::pair<int, int>> dynamic;
    entry->reason = explain_miss(call, key, dynamic);
    if (!known.empty()) entry->reason = "value " + std::to_string(known.size() - 1) + " that it reads is another one";
    entry->signature = compiler::describe(call, key, dynamic, options);
    if (paths(call, key) >= most_paths) {
        entry->uncompiled = "reads values that differ from call to call";
        entry->signature.any_layout = true;
        return add(std::move(entry));
    }
    const auto recorder = std::make_shared<trace::Recorder>();
    std::vector<shape::Dims> strides;
    try {
        const auto start = std::chrono::steady_clock::now();
        {
            const trace::Recorder::Scope scope(recorder);
            const std::vector<array> parameters = parameters_of(entry->signature, call, recorder, strides);
            recorder->set_arguments(memories_of(call), known);
            const std::vector<array> outputs = record(parameters);
            set_outputs(*recorder, outputs);
        }
        const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
        entry->captured = recorder->captured();
        entry->reads = recorder->reads();
        entry->written = recorder->written();
        entry->used = used_parameters(recorder->graph());
        if (!entry->written.empty() && writes_overlap(*entry, call)) {
            entry->overlaps = true;
            throw RecordError("writes into an argument whose memory another one shares");
        }
        for (const device::Memory& memory : entry->captured) strides.push_back(shape::to_dims(memory.strides));
        compiler::Specialised made = compiler::specialise(std::move(recorder->graph()), strides, options.backend);
        entry->plan = std::move(made.plan);
        entry->times = std::move(made.times);
        entry->times.insert(entry->times.begin(), {"record", spent.count()});
        entry->ir = std::move(made.ir);
        entry->guards = entry->plan.sizes.guards();
        if (entry->plan.sizes.size() > most_values) throw RecordError("the sizes of this function are too many to follow");
        ++compiles;
    } catch (const RecordError& error) {
        if (options.fullgraph) throw;
        entry->uncompiled = error.what();
        entry->signature.any_layout = true;
        entry->plan = {};
    }
    return add(std::move(entry));
}

// The entry for a call, as far as is known of what it reads: one that is there, or a new one.
EntryPtr Engine::State::find_or_make(std::span<const Argument> call, std::string_view key, const Record& record, const Keep& keep,
                                     const std::vector<Scalar>& known, std::int64_t* values, int& made) {
    EntryPtr entry = match(call, key, values, known);
    if (entry) {
        note_call(*entry);
        return entry;
    }
    const std::scoped_lock lock(compiling);
    entry = match(call, key, values, known);
    if (entry) return entry;
    ++made;
    misses.fetch_add(1, std::memory_order_relaxed);
    entry = specialise(call, key, record, known);
    note_call(*entry);
    if (entry->uncompiled.empty()) keep(entry->number);
    const EntryPtr found = match(call, key, values, known);
    if (found != entry && entry->uncompiled.empty()) throw InternalError("a new entry does not fit the call that it was made for");
    return entry;
}

Engine::Engine(CompileOptions options) : state_(std::make_unique<State>()) {
    if (!compiler::is_backend(options.backend)) {
        throw ValueError("unknown backend '" + options.backend + "': the backends are 'llvm' and 'eager'");
    }
    if (options.cache_size_limit == 0) throw ValueError("cache_size_limit must be at least 1");
    state_->options = std::move(options);
}

Engine::~Engine() = default;

Engine::Result Engine::call(std::span<const Argument> arguments, std::string_view key, const Record& record, const Keep& keep,
                            std::vector<array>& results) {
    std::array<std::int64_t, most_values> values;
    std::vector<Scalar> known;  // what reads gave in this call so far
    int made = 0;
    EntryPtr entry;
    bool done = false;
    while (!done && made <= most_retries) {
        entry = state_->find_or_make(arguments, key, record, keep, known, values.data(), made);
        if (!entry->uncompiled.empty()) break;
        const plan::Outcome outcome = state_->run(*entry, arguments, values.data(), results);
        if (outcome.kind == plan::Outcome::Kind::raised) break;
        done = outcome.kind == plan::Outcome::Kind::done;
        if (done) continue;
        known.assign(entry->reads.begin(), entry->reads.begin() + outcome.read);
        known.push_back(outcome.found);
    }
    if (made == 0) state_->hits.fetch_add(1, std::memory_order_relaxed);
    if (!done) state_->uncompiled.fetch_add(1, std::memory_order_relaxed);
    return {done ? Outcome::ran : Outcome::uncompiled, entry->number};
}

CacheInfo Engine::cache_info() const {
    const std::shared_lock lock(state_->mutex);
    return {state_->hits, state_->misses, state_->entries.size(), state_->compiles, state_->uncompiled};
}

void Engine::clear() {
    const std::unique_lock lock(state_->mutex);
    state_->entries.clear();
    state_->hits = 0;
    state_->misses = 0;
    state_->compiles = 0;
    state_->uncompiled = 0;
}

const CompileOptions& Engine::options() const { return state_->options; }

bool is_recording() { return trace::Recorder::active() != nullptr; }

bool borrow(const array& value, Argument& argument) {
    const ArrayBody& body = *value.body();
    if (body.value != nullptr) return false;
    const device::Memory& memory = body.memory;
    argument.data = memory.data;
    argument.shape = memory.shape.data();
    argument.strides = memory.strides.data();
    argument.dtype = memory.dtype;
    argument.rank = static_cast<std::int8_t>(memory.shape.size());
    argument.writable = body.writable;
    argument.hold = [](const Argument& held) { return *static_cast<const array*>(held.context); };
    argument.context = &value;
    return true;
}

namespace {

std::string guard_text(const shape::SizeGuard& guard, const shape::Sizes& sizes) {
    const std::string text = sizes.text(guard.expression);
    switch (guard.kind) {
        case shape::SizeGuard::Kind::zero: return text + " == 0";
        case shape::SizeGuard::Kind::nonzero: return text + " != 0";
        case shape::SizeGuard::Kind::nonnegative: return text + " >= 0";
    }
    return text;
}

EntryInfo info_of(const Entry& entry, bool with_code) {
    EntryInfo info;
    info.reason = entry.reason;
    info.uncompiled = entry.uncompiled;
    info.guards = entry.signature.describe();
    for (const shape::SizeGuard& guard : entry.guards) info.guards.push_back(guard_text(guard, entry.plan.sizes));
    for (std::size_t i = 0; i < entry.reads.size(); ++i) info.guards.push_back("value " + std::to_string(i) + " read is " + ir::text_of(entry.reads[i]));
    info.milliseconds = entry.times;
    info.ir = entry.ir;
    std::size_t kernel = 0;
    for (const plan::Step& step : entry.plan.steps) {
        if (!step.is_kernel) {
            const std::string name(ops::info(step.eager.op).name);
            info.kernels.push_back({name, "precompiled", {name}, ""});
            continue;
        }
        const loop::Kernel& made = entry.plan.kernels[kernel];
        std::string axes;
        for (const loop::Axis& axis : made.axes)
            axes += (axes.empty() ? "" : " x ") + entry.plan.sizes.text(axis.extent) + (axis.inner ? " (reduced)" : "");
        info.kernels.push_back({made.name, made.name, made.ops, axes});
        info.loops += loop::to_string(made, entry.plan.schedules[kernel], entry.plan.sizes);
        ++kernel;
    }
    if (with_code && !entry.plan.kernels.empty()) {
        std::vector<codegen::Job> jobs;
        for (std::size_t i = 0; i < entry.plan.kernels.size(); ++i) jobs.push_back({&entry.plan.kernels[i], &entry.plan.schedules[i]});
        info.llvm = codegen::llvm_text(jobs);
        info.assembly = codegen::assembly_text(jobs);
    }
    return info;
}

}  // namespace

std::vector<EntryInfo> Engine::entries(bool with_code) const {
    std::vector<EntryPtr> held;
    {
        const std::shared_lock lock(state_->mutex);
        held = state_->entries;
    }
    std::vector<EntryInfo> result;
    for (auto entry = held.rbegin(); entry != held.rend(); ++entry) result.push_back(info_of(**entry, with_code));
    return result;
}

}  // namespace fastnp::detail
