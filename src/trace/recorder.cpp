#include "trace/recorder.h"

#include <fnmatch.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include "base/fork.h"
#include "device/movable.h"
#include "eager/eager.h"
#include "fastnp/detail/float_flags.h"
#include "fastnp/error.h"
#include "ops/collective.h"
#include "ops/element.h"
#include "shape/order.h"
#include "shape/strides.h"
#include "trace/looked_flags.h"

namespace fastnp::trace {

namespace {

thread_local Recorder* current = nullptr;
base::ForkSafe<std::mutex> disallowed_mutex;
std::vector<std::string> disallowed_now;

}  // namespace

Recorder::Recorder() {
    const std::scoped_lock lock(disallowed_mutex);
    disallowed_ = disallowed_now;
}

void Recorder::check_allowed(std::string_view name) {
    for (const std::string& pattern : disallowed_) {
        if (fnmatch(pattern.c_str(), std::string(name).c_str(), 0) == 0) refuse(RecordError("uses " + std::string(name) + ", which is disallowed"));
    }
}

void Recorder::disallow(const std::vector<std::string>& names) {
    const std::scoped_lock lock(disallowed_mutex);
    disallowed_now.insert(disallowed_now.end(), names.begin(), names.end());
}

void Recorder::allow(const std::vector<std::string>& names) {
    const std::scoped_lock lock(disallowed_mutex);
    for (const std::string& name : names) {
        const auto found = std::find(disallowed_now.begin(), disallowed_now.end(), name);
        if (found != disallowed_now.end()) disallowed_now.erase(found);
    }
}

bool Recorder::disallows() {
    const std::scoped_lock lock(disallowed_mutex);
    return !disallowed_now.empty();
}

bool Recorder::made_all_captured() const {
    return std::all_of(captured_.begin(), captured_.end(), [this](const device::Memory& memory) { return made_.contains(memory.buffer); });
}

bool Recorder::stands_for_many(ir::Value value) const {
    if (!maps_ && later_.empty()) return false;
    const std::vector<ir::Value> below = ir::reachable({&value, 1});
    return std::any_of(below.begin(), below.end(), [&](ir::Value each) {
        return each->op == ir::Op::example || each->op == ir::Op::turn || std::find(later_.begin(), later_.end(), each) != later_.end();
    });
}

// A recording that is run once raises where the program does, but for what stands for many values, and for what ranks do together, which is done once.
void Recorder::effect(ir::Value value) {
    if (once_ && value->op != ir::Op::update && !ops::is_collective(value->op) && !stands_for_many(value)) evaluate(value);
    else effects_.push_back(value);
}

// As copies on the device, which are known by when they were taken.
std::optional<ir::Value> Recorder::take_snapshot_at_home(const device::Memory& memory) {
    if (device::home_of(memory.data) == nullptr || shape::count(memory.shape) == 0) return std::nullopt;
    const std::uint64_t version = device::version_of(memory.data);
    for (std::size_t i = 0; i < sources_.size(); ++i) {
        if (same_layout(sources_[i], memory) && versions_[i] == version) return captured_values_[i];
    }
    const shape::Bounds bounds = shape::bounds({memory.data, memory.shape, memory.strides, itemsize_of(memory.dtype)});
    device::Memory copy = memory;
    copy.buffer = device::copy_at_home(static_cast<char*>(memory.data) + bounds.low, static_cast<std::size_t>(bounds.high - bounds.low));
    if (copy.buffer == nullptr) return std::nullopt;
    copy.data = static_cast<char*>(copy.buffer->data()) - bounds.low;
    return keep_snapshot(memory, std::move(copy), version);
}

ir::Value Recorder::keep_snapshot(const device::Memory& memory, device::Memory copy, std::optional<std::uint64_t> version) {
    const ir::Value value = graph_.parameter(memory.dtype, shape::to_dims(memory.shape));
    sources_.push_back(memory);
    versions_.push_back(version);
    captured_.push_back(std::move(copy));
    captured_values_.push_back(value);
    return value;
}

ir::Value Recorder::take_snapshot(const device::Memory& memory) {
    if (const auto at_home = take_snapshot_at_home(memory)) return *at_home;
    device::Memory copy = copy_of(memory);
    for (std::size_t i = 0; i < sources_.size(); ++i) {
        if (same_layout(sources_[i], memory) && !versions_[i] && std::memcmp(captured_[i].data, copy.data, copy.buffer->bytes()) == 0)
            return captured_values_[i];
    }
    return keep_snapshot(memory, std::move(copy), std::nullopt);
}

ir::Value Recorder::capture(const device::Memory& memory) {
    if (snapshots_) return take_snapshot(memory);
    for (std::size_t i = 0; i < captured_.size(); ++i) {
        if (same_layout(captured_[i], memory)) return captured_values_[i];
    }
    if (watches_ && memory.buffer->is_borrowed() && device::home_of(memory.data) == nullptr) return capture_watched(memory);
    return add_captured(memory);
}

ir::Value Recorder::add_captured(const device::Memory& memory) {
    note_line();
    const ir::Value value = graph_.parameter(memory.dtype, shape::to_dims(memory.shape));
    captured_.push_back(memory);
    captured_values_.push_back(value);
    return value;
}

StoragePtr Recorder::storage_of(ir::Value parameter) {
    StoragePtr& storage = storages_[parameter];
    if (storage) {
        refresh(*storage);
        return storage;
    }
    const auto found = std::find(captured_values_.begin(), captured_values_.end(), parameter);
    const device::Memory* memory = found == captured_values_.end() ? nullptr : &captured_[static_cast<std::size_t>(found - captured_values_.begin())];
    if (memory != nullptr && made_.contains(memory->buffer)) {
        storage = std::make_shared<Storage>(Storage{-1, parameter, shape::like_order(shape::steps_of(memory->shape, memory->strides)), false, 0});
    } else {
        storage = std::make_shared<Storage>(Storage{static_cast<int>(parameter->attributes.ints[0]), parameter, {}, true, 0});
        storage->watched = number_watched(parameter);
    }
    return storage;
}

void Recorder::set_arguments(std::vector<device::Memory> arguments, std::vector<Found> known) {
    for (std::size_t i = 0; i < arguments.size(); ++i) evaluator_.set(graph_.parameters()[i], std::move(arguments[i]));
    known_reads_ = std::move(known);
    can_read_ = true;
}

void Recorder::set_limits(std::size_t steps, std::size_t reads, std::size_t stop_at) {
    most_steps_ = steps;
    most_reads_ = reads;
    stop_at_ = stop_at;
}

void Recorder::check_steps() {
    if (graph_.nodes().size() > most_steps_) refuse(LongRecordError("takes more than " + std::to_string(most_steps_) + " steps, perhaps in a long loop"));
}

void Recorder::check_reads() {
    if (!can_read_) refuse(RecordError("reads a value, which this recording has not"));
    if (reads_.size() == stop_at_) refuse(LongRecordError("reads values that differ from call to call"));
    if (reads_.size() >= most_reads_) refuse(LongRecordError("reads more than " + std::to_string(most_reads_) + " values"));
}

unsigned& looked_flags() {
    thread_local unsigned flags = 0;
    return flags;
}

// The value's elements in this call.
device::Memory Recorder::evaluate(ir::Value value) {
    for (std::size_t i = 0; i < captured_.size(); ++i) {
        if (!evaluator_.knows(captured_values_[i])) evaluator_.set(captured_values_[i], captured_[i]);
    }
    device::Memory memory = or_refuse_for_values("what it computed", [&] { return evaluator_.evaluate(value, graph_); });
    looked_flags() |= detail::float_flags();
    return memory;
}

Scalar Recorder::look(ir::Value value) {
    check_reads();
    if (reads_.size() < known_reads_.size()) return known_reads_[reads_.size()].value;
    const device::Memory memory = evaluate(value);
    device::use_on_host(memory.data, device::Access::read);
    return ops::load(memory.dtype, memory.data);
}

void Recorder::note_read(ir::Op op, ir::Value value, ir::Attributes attributes, Read read) {
    attributes.ints.push_back(static_cast<std::int64_t>(reads_.size()));
    const ir::Value input[] = {value};
    note_line();
    effect(graph_.make(op, input, std::move(attributes), value->dtype, value->shape));
    reads_.push_back(read);
}

// The sizes of what a call gave: those that the operands have too stay what they are there, so that they may vary; the others are taken for granted.
shape::Dims Recorder::sizes_like(const Shape& shape, std::span<const ir::Value> operands) {
    shape::Dims dims;
    for (const std::int64_t size : shape) {
        shape::Dim dim(size);
        const auto look_in = [&](const shape::Dims& known) {
            for (const shape::Dim candidate : known) {
                if (dim.is_constant() && !candidate.is_constant() && graph_.sizes().hint(candidate) == size) dim = candidate;
            }
        };
        for (const ir::Value operand : operands) look_in(operand->shape);
        for (const ir::Value operand : operands) look_in(operand->attributes.dims);  // sizes handed over as numbers
        dims.push_back(dim);
    }
    return dims;
}

std::vector<ir::Value> Recorder::call(const std::string& name, std::span<const ir::Value> operands,
                                      const std::function<Called(std::span<const device::Memory>)>& make) {
    if (!can_read_) refuse(RecordError("calls " + name + ", whose result is known once there are values"));
    check_reads();
    std::vector<device::Memory> memories;
    for (const ir::Value operand : operands) memories.push_back(evaluate(operand));
    const bool is_known = reads_.size() < known_reads_.size() && known_reads_[reads_.size()].called;
    const Called called = is_known ? *known_reads_[reads_.size()].called : or_refuse_for_values(name, [&] { return make(memories); });
    const auto number = static_cast<std::int64_t>(graph_.calls().size());
    ir::Call expected{name, called.structure, {}};
    for (const device::Memory& memory : called.arrays) expected.types.push_back({memory.dtype, sizes_like(memory.shape, operands)});
    ir::Attributes attributes;
    attributes.ints = {number, static_cast<std::int64_t>(reads_.size())};
    note_line();
    const ir::Value node = graph_.make(ir::Op::call, operands, std::move(attributes), Dtype::bool_, {});
    effect(node);
    reads_.push_back({{}, 0, static_cast<int>(number)});
    std::vector<ir::Value> given;
    for (std::size_t i = 0; i < called.arrays.size(); ++i) {
        ir::Attributes which;
        which.ints = {number, static_cast<std::int64_t>(i)};
        which.dims = expected.types[i].shape;
        given.push_back(graph_.make(ir::Op::given, {&node, 1}, std::move(which), expected.types[i].dtype, expected.types[i].shape));
        evaluator_.set(given.back(), called.arrays[i]);
    }
    graph_.add_call(std::move(expected));
    return given;
}

Scalar Recorder::read(ir::Value value) {
    const Scalar found = look(value);
    if (once_) return found;
    ir::Attributes attributes;
    attributes.scalar = found;
    note_read(ir::Op::expect, value, std::move(attributes), {found});
    return found;
}

shape::Dim Recorder::bind(ir::Value value, std::int64_t low, std::int64_t high) {
    const auto known = bound_.find(value);
    if (known != bound_.end()) return known->second;
    if (once_) return look(value).as_int64();
    const shape::Dim size = graph_.sizes().bound_symbol(look(value).as_int64(), low, high);
    ir::Attributes attributes;
    attributes.dims.push_back(size);
    note_read(ir::Op::bind, value, std::move(attributes), {Scalar(graph_.sizes().hint(size)), graph_.sizes().stage(size)});
    bound_.emplace(value, size);
    return size;
}

void Recorder::write(Storage& storage, ir::Value view, ir::Value value) {
    if (storage.depth < turns_depth()) {
        refuse(RecordError("writes into an array from outside of a loop's body: make it a state of the loop, or return what is to be collected"));
    }
    if (storage.has_copies) {
        refuse(RecordError(
            "writes into an array after a function of NumPy's gave a view of it, which is a copy where the array is mapped over: write to a copy"));
    }
    note_line();
    const bool is_at_once = writes_at_once(storage);
    if (is_at_once) check_known(value);
    const Write done = or_refuse([&] { return trace::write(graph_, storage, view, value, graph_.next_owner()); });
    if (storage.parameter >= 0 && snapshots_) {
        refuse(RecordError("writes a value with a derivative into memory of an array without one: write to the array itself, not through a view or out="));
    }
    if (is_at_once) {
        store_watched(storage);
    } else if (storage.parameter >= 0) {
        effect(done.update);
        storage.is_stored_to = true;
    }
}

bool Recorder::is_stored_to(const device::Memory& memory) const {
    for (std::size_t i = 0; i < captured_.size(); ++i) {
        const auto storage = storages_.find(captured_values_[i]);
        if (storage == storages_.end() || !storage->second->is_stored_to) continue;
        const int number = storage->second->watched;
        const device::Memory& source = number < 0 ? captured_[i] : watched_[static_cast<std::size_t>(number)].source;
        if (source.buffer == memory.buffer || shape::may_overlap(layout_of(source), layout_of(memory))) return true;
    }
    return false;
}

std::vector<int> Recorder::written() const {
    std::vector<int> numbers;
    for (const auto& [parameter, storage] : storages_) {
        if (storage->is_stored_to) numbers.push_back(storage->parameter);
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

Recorder* Recorder::active() { return current; }

Recorder::Scope::Scope(std::shared_ptr<Recorder> recorder) : recorder_(std::move(recorder)), previous_(std::exchange(current, recorder_.get())) {}

Recorder::Scope::~Scope() { current = previous_; }

}  // namespace fastnp::trace
