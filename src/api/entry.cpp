#include "api/entry.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <tuple>
#include <utility>

#include "api/body.h"
#include "api/outside.h"
#include "base/kept.h"
#include "device/movable.h"
#include "device/registry.h"
#include "device/span.h"
#include "fastnp/detail/float_check.h"
#include "fastnp/detail/float_flags.h"
#include "fastnp/detail/memory.h"
#include "fastnp/device.h"
#include "fastnp/error.h"
#include "shape/strides.h"

namespace fastnp::detail {

namespace {

array owned_copy(const Argument& argument) {
    Shape shape(argument.shape, argument.shape + argument.rank);
    Strides strides(argument.strides, argument.strides + argument.rank);
    return array::from_memory(argument.data, argument.dtype, shape, strides).copy();
}

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
    return {memory.data, memory.shape.data(), memory.strides.data(), memory.dtype, static_cast<std::int8_t>(memory.shape.size()), true, nullptr,
            nullptr,     memory.buffer.get()};
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

std::vector<int> used_parameters(const ir::Graph& graph) {
    std::vector<int> numbers;
    for (const ir::Value value : ir::reachable(graph.roots())) {
        if (value->op == ir::Op::parameter) numbers.push_back(static_cast<int>(value->attributes.ints[0]));
    }
    return numbers;
}

bool computes_floats(const ir::Graph& graph) {
    const auto values = ir::reachable(graph.roots());
    return std::any_of(values.begin(), values.end(),
                       [](const ir::Value value) { return value->op != ir::Op::parameter && (is_floating(value->dtype) || is_complex(value->dtype)); });
}

std::atomic<void (*)()> float_check{nullptr};

// A result that is an argument's memory, or a view of it, shares it.
array finish(const Entry& entry, std::span<const Argument> call, plan::Result result) {
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

// Arguments of one element and no axes that are not on a device, and stay as they are.
std::vector<int> numbers_on_host(const std::vector<int>& written, std::span<const Argument> call) {
    std::vector<int> numbers;
    for (std::size_t i = 0; i < call.size(); ++i) {
        const bool is_written = std::find(written.begin(), written.end(), static_cast<int>(i)) != written.end();
        if (call[i].rank == 0 && !is_written && !device::lies_on_device(call[i].data)) numbers.push_back(static_cast<int>(i));
    }
    return numbers;
}

}  // namespace

void set_float_check(void (*check)()) { float_check.store(check, std::memory_order_relaxed); }

device::Backend* device_of(std::span<const Argument> call) {
    if (device::Backend* named = device::current_backend()) return named;
    if (!device::anything_moves()) return nullptr;
    for (const Argument& argument : call) {
        if (device::Backend* home = device::home_of(argument.buffer, argument.data)) return home;
    }
    return nullptr;
}

void Entry::take(Recording& made, std::span<const Argument> call) {
    captured = std::move(made.captured);
    reads = std::move(made.reads);
    written = std::move(made.written);
    parts = std::move(made.parts);
    read_only = std::move(made.read_only);
    used = used_parameters(made.graph);
    has_floats = computes_floats(made.graph);
    if (!written.empty() && writes_overlap(*this, call)) {
        overlaps = true;
        throw RecordError("writes into an argument whose memory another one shares");
    }
    times = std::move(made.times);
    if (made.graph.sizes().size() > most_values) throw RecordError("the sizes of this function are too many to follow");
    if (device != nullptr) by_value = numbers_on_host(written, call);
}

void Entry::make_code(Recording made, const CompileOptions& options) {
    base::Writer packed;
    const auto backend = compiler::users_backend(options.backend);
    if (backend) made.graph.pack(packed, true);
    if (backend) users_code = make_users_code(made, *backend, options);
    plan = compiler::specialise(made.graph, made.strides, options.backend, {.device = device, .by_value = by_value},
                                {times, keeps_passes ? &passes : nullptr});
    if (!backend) made.graph.pack(packed, true);
    graph = packed.bytes();
    if (plan.sizes.size() > most_values) throw RecordError("the sizes of this function are too many to follow");  // passes make some, too
}

bool Entry::serves(std::span<const Argument> call, std::string_view key, const std::vector<trace::Found>& known, std::int64_t* values) const {
    std::array<std::int64_t, most_values> symbols;
    if (signature.symbols.size() > most_values || !signature.matches(call, key, symbols.data())) return false;
    if (!written.empty() && (!can_write(*this, call) || writes_overlap(*this, call) != overlaps)) return false;
    if (!uncompiled.empty()) return true;
    for (const int number : by_value) {
        if (device::lies_on_device(call[static_cast<std::size_t>(number)].data)) return false;
    }
    if (plan.sizes.size() != 0) {
        plan.sizes.evaluate(symbols.data(), values);
        if (!plan.sizes.holds(0, values)) return false;
    }
    return fits(known, values);
}

bool Entry::writes_shared(std::span<const Argument> call) const { return !written.empty() && writes_overlap(*this, call); }

// Whether reads gave what this entry is for, as far as they went.
bool Entry::fits(const std::vector<trace::Found>& known, std::int64_t* values) const {
    if (reads.size() < known.size()) return false;
    for (std::size_t i = 0; i < known.size(); ++i) {
        if ((reads[i].call >= 0) != (known[i].called != nullptr)) return false;
        if (reads[i].call >= 0) {
            if (!trace::fits(plan.calls[static_cast<std::size_t>(reads[i].call)], *known[i].called, values)) return false;
            continue;
        }
        if (reads[i].bound == 0) {
            if (!(reads[i].value == known[i].value)) return false;
            continue;
        }
        plan.sizes.bind(reads[i].bound, known[i].value.as_int64(), values);
        if (!plan.sizes.holds(reads[i].bound, values)) return false;
    }
    return true;
}

std::vector<trace::Found> Entry::found(const plan::Outcome& outcome, const std::int64_t* values) const {
    std::vector<trace::Found> known;
    const auto last = static_cast<std::size_t>(outcome.read);
    for (std::size_t i = 0; i <= last; ++i) {
        if (reads[i].call >= 0) known.push_back({{}, outcome.called[static_cast<std::size_t>(reads[i].call)]});
        else if (i == last) known.push_back({outcome.found, nullptr});
        else known.push_back({reads[i].bound == 0 ? reads[i].value : Scalar(plan.sizes.bound_value(reads[i].bound, values)), nullptr});
    }
    return known;
}

namespace {

class CalleeCaller final : public trace::Caller {
public:
    CalleeCaller(Engine::Callee& callee, const Entry& entry)
        : callee_(callee), kept_(entry.kept.get()), device_(entry.device), users_(entry.users_code.get()) {}
    trace::CalledPtr call(int number, std::span<const device::Memory> operands, bool is_last) override {
        if (users_ != nullptr && number == users_->call) return users_->run(operands);
        std::optional<device_scope> there;
        if (device_ != nullptr) there.emplace(device_->name());
        const KeptFloatFlags flags;  // its errors are told of where they arise
        const std::optional<Given> given = callee_.make_call(kept_, number, arrays_over(operands), is_last);
        return given ? std::make_shared<const trace::Called>(called_of(*given)) : nullptr;
    }

private:
    Engine::Callee& callee_;
    const void* kept_;
    const device::Backend* device_;  // where the plan is run, or null
    const UsersCode* users_;         // null: the back end is one of fastnp's
};

}  // namespace

// Calls visit(argument, whether it is written to) for all parameters.
template <class F>
void Entry::for_each_parameter(std::span<const Argument> call, F visit) const {
    const auto is_written = [&](std::size_t number) { return std::find(written.begin(), written.end(), static_cast<int>(number)) != written.end(); };
    for (std::size_t i = 0; i < call.size(); ++i) visit(call[i], is_written(i));
    for (std::size_t i = 0; i < captured.size(); ++i) visit(argument_of(captured[i]), is_written(call.size() + i));
}

namespace {

// An argument's memory, which is kept by the caller.
device::Memory memory_of(const Argument& argument) {
    const Shape shape(argument.shape, argument.shape + argument.rank);
    const Strides strides(argument.strides, argument.strides + argument.rank);
    return {nullptr, argument.data, argument.dtype, shape, strides};
}

std::span<std::byte> bytes_of(const Argument& argument) {
    const device::Memory memory = memory_of(argument);
    const device::Span span = device::span_of(memory);
    return {static_cast<std::byte*>(memory.data) + span.first, span.bytes()};
}

}  // namespace

// All that a plan on the host uses; what it writes to, as long as that is held.
std::vector<device::HostWrite> Entry::bring_to_host(std::span<const Argument> call) const {
    std::vector<device::HostWrite> writes;
    if (!device::anything_moves()) return writes;
    for_each_parameter(call, [&](const Argument& argument, bool is_written) {
        if (is_written) writes.emplace_back(memory_of(argument));
        else device::use_on_host(argument.data, device::Access::read);
    });
    return writes;
}

namespace {

// What runs gave is put into memory that the thread keeps.
class Produced {
public:
    Produced() = default;
    ~Produced() { base::Kept<plan::Result>::give_back(std::move(results)); }
    Produced(const Produced&) = delete;
    Produced& operator=(const Produced&) = delete;

    std::vector<plan::Result> results = base::Kept<plan::Result>::take();
};

}  // namespace

plan::Outcome Entry::run(std::span<const Argument> call, std::int64_t* values, Engine::Callee& callee, std::vector<array>& results) const {
    SmallVector<void*, 16> pointers;
    for (const Argument& argument : call) pointers.push_back(argument.data);
    for (const device::Memory& memory : captured) pointers.push_back(memory.data);
    SmallVector<plan::Placed, 16> placed;
    std::vector<device::HostWrite> writes;
    if (device == nullptr) {
        writes = bring_to_host(call);
    } else {
        if (void (*check)() = has_floats ? float_check.load(std::memory_order_relaxed) : nullptr; check != nullptr) check();
        for_each_parameter(call, [&](const Argument& argument, bool is_written) {
            placed.push_back({argument.shape, argument.strides, argument.dtype, argument.rank, is_written, argument.buffer});
        });
    }
    if (!written.empty()) {
        SmallVector<std::span<std::byte>, 4> targets;
        bool is_all = true;
        for_each_parameter(call, [&](const Argument& argument, bool is_written) {
            if (!is_written) return;
            const bool goes_there = device != nullptr && (device::lies_on_device(argument.data) || device::can_move(argument.data));
            if (goes_there) is_all = false;
            else targets.push_back(bytes_of(argument));
        });
        callee.will_write({targets.data(), targets.size()}, is_all);
    }
    Produced produced;
    clear_float_flags();
    CalleeCaller caller(callee, *this);
    plan::Outcome outcome = plan.run({pointers.data(), pointers.size()}, values, caller, produced.results, {placed.data(), placed.size()});
    for (device::HostWrite& write : writes) write.done();
    if (outcome.kind != plan::Outcome::Kind::done) return outcome;
    results.reserve(produced.results.size());
    for (plan::Result& result : produced.results) results.push_back(finish(*this, call, std::move(result)));
    for (const Part& part : parts) {
        array& result = results[static_cast<std::size_t>(part.output)];
        result = part_of(result, part.imaginary);
    }
    for (const int number : read_only) results[static_cast<std::size_t>(number)].body()->writable = false;
    return outcome;
}

}  // namespace fastnp::detail
