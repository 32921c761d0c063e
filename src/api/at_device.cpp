#include "api/at_device.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "api/entry.h"
#include "api/record_call.h"
#include "base/fork.h"
#include "fastnp/error.h"
#include "ops/element.h"
#include "ops/infer.h"
#include "plan/device_run.h"
#include "shape/strides.h"

namespace fastnp::api {

namespace {

using detail::Argument;
using detail::Entry;
using detail::EntryPtr;

class Recording final : public detail::Engine::Callee {
public:
    explicit Recording(const Operation::Record& record) : record_(record) {}
    std::vector<array> record(std::span<const array> parameters) override { return record_(parameters); }
    std::shared_ptr<const void> keep() override { return nullptr; }

private:
    const Operation::Record& record_;
};

CompileOptions options() {
    CompileOptions options;
    options.sizes = DynamicSizes::always;
    return options;
}

EntryPtr compiled(std::string_view key, std::span<const Argument> call, device::Backend& device, const Operation::Record& record) {
    auto entry = std::make_shared<Entry>();
    entry->signature = compiler::describe(call, key, {}, options().sizes, options().dynamic);
    entry->device = &device;
    try {
        Recording callee(record);
        detail::Recording made = record_call(entry->signature, call, callee, {});
        compiler::prepare(made.graph, options().backend, {made.times});
        entry->compile(std::move(made), call, options());
        if (!plan::is_done_by_device(entry->plan)) throw RecordError("devices have no code for it");
    } catch (const RecordError& error) {
        entry->uncompiled = error.what();
        entry->signature.any_layout = true;
        entry->plan = {};
    }
    return entry;
}

/// Those that were done so far, by their keys: for each several, where operands lie in other ways or sizes are in other relations.
class Operations {
public:
    EntryPtr find(const std::string& key, std::span<const Argument> call, device::Backend& device, const Operation::Record& record, std::int64_t* values) {
        if (EntryPtr found = match(key, call, values)) return found;
        const std::scoped_lock lock(compiling_);
        if (EntryPtr found = match(key, call, values)) return found;
        keep(key, compiled(key, call, device, record));
        EntryPtr made = match(key, call, values);
        if (!made) throw InternalError("an operation does not fit the call that it was compiled for");
        return made;
    }

private:
    EntryPtr match(const std::string& key, std::span<const Argument> call, std::int64_t* values) const {
        static const std::vector<trace::Found> nothing;
        const std::shared_lock lock(mutex_);
        const auto known = entries_.find(key);
        if (known == entries_.end()) return nullptr;
        for (const EntryPtr& entry : known->second) {
            if (entry->serves(call, key, nothing, values)) return entry;
        }
        return nullptr;
    }

    // Programs do a few hundred kinds of operations; one that does ever new ones begins again now and then.
    void keep(const std::string& key, EntryPtr entry) {
        std::unordered_map<std::string, std::vector<EntryPtr>> dropped;  // freed after the lock
        const std::unique_lock lock(mutex_);
        if (++count_ > most_entries) {
            dropped.swap(entries_);
            count_ = 1;
        }
        std::vector<EntryPtr>& entries = entries_[key];
        entries.insert(entries.begin(), std::move(entry));
    }

    static constexpr std::size_t most_entries = 4096;
    mutable std::shared_mutex mutex_;
    std::mutex compiling_;
    std::unordered_map<std::string, std::vector<EntryPtr>> entries_;
    std::size_t count_ = 0;
};

Operations& operations() {
    return base::made_once([] { return std::make_unique<Operations>(); });  // its entries hold code of devices, which are never destroyed either
}

bool is_same(const Argument& argument, const device::Memory& memory) {
    const std::size_t rank = memory.shape.size();
    return argument.data == memory.data && argument.dtype == memory.dtype && static_cast<std::size_t>(argument.rank) == rank &&
           std::equal(memory.shape.begin(), memory.shape.end(), argument.shape) &&
           std::equal(memory.strides.begin(), memory.strides.end(), argument.strides);
}

}  // namespace

device::Memory allocate_at(device::Backend* home, Dtype dtype, const Shape& shape, const shape::AxisOrder& order) {
    device::Memory memory = home == nullptr ? device::allocate(dtype, shape, order) : device::allocate_movable(dtype, shape, order);
    if (home != nullptr) device::bring_home(*home, memory.data);
    if (trace::Recorder* recorder = trace::Recorder::active()) recorder->note_made(memory);
    return memory;
}

void Operation::note_lengths(const Shape& shape, bool are_folded) {
    constexpr int few = 1, many = 3;  // below 8 steps, and 64 or more: these fill vectors and warps
    note(static_cast<char>(shape.size()));
    for (const std::int64_t size : shape) {
        const int length = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size)) / 3);
        note(static_cast<char>(are_folded ? length : std::clamp(length, few, many)));
    }
}

int Operation::add(const Argument& argument) {
    note(argument.dtype);
    note(argument.rank);
    arguments_.push_back(argument);
    return static_cast<int>(arguments_.size() - 1);
}

int Operation::take(const device::Memory& memory) {
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
        if (!is_same(arguments_[i], memory)) continue;
        note(static_cast<char>(-1 - static_cast<int>(i)));  // no dtype has such a number
        return static_cast<int>(i);
    }
    return add({memory.data, memory.shape.data(), memory.strides.data(), memory.dtype, static_cast<std::int8_t>(memory.shape.size()), false, nullptr,
                nullptr, memory.buffer.get()});
}

std::optional<int> Operation::take_repeated(const device::Memory& memory) {
    const auto is_zero = [](std::int64_t stride) { return stride == 0; };
    const bool is_repeated =
        !memory.shape.empty() && shape::count(memory.shape) != 0 && std::all_of(memory.strides.begin(), memory.strides.end(), is_zero);
    if (!is_repeated || device::lies_on_device(memory.data)) return std::nullopt;
    return add({memory.data, nullptr, nullptr, memory.dtype, 0});
}

int Operation::take_output(const device::Memory& memory) {
    const int place = take(memory);
    arguments_[static_cast<std::size_t>(place)].writable = true;
    return place;
}

int Operation::take(const Scalar& number, Dtype dtype) {
    Element& element = numbers_[number_count_++];
    ops::store(ops::convert(number, dtype), dtype, element.bytes.data());
    return add({element.bytes.data(), nullptr, nullptr, dtype, 0});
}

int Operation::take_sizes(const Shape& sizes) {
    if (has_sizes_) throw InternalError("an operation whose sizes are of two arrays");
    sizes_ = sizes;
    size_steps_ = shape::c_strides(sizes, 1);
    has_sizes_ = true;
    return add({&has_sizes_, sizes_.data(), size_steps_.data(), Dtype::bool_, static_cast<std::int8_t>(sizes.size())});
}

device::Backend* Operation::device() const {
    device::Backend* const named = device::current_backend();
    bool is_for_device = has_sizes_;
    for (const Argument& argument : arguments_) {
        if (named == nullptr) {
            if (device::Backend* home = device::home_of(argument.buffer, argument.data)) return home;
        } else {
            is_for_device = is_for_device || argument.rank > 0 || device::lies_on_device(argument.data);
        }
    }
    return is_for_device ? named : nullptr;
}

bool Operation::run(device::Backend& device, const Record& record, std::vector<array>& results) {
    note(reinterpret_cast<std::uintptr_t>(&device));
    const std::span<const Argument> call(arguments_.data(), arguments_.size());
    std::size_t sizes = 0;
    for (const Argument& argument : call) {
        if (argument.rank == 0) note(device::lies_on_device(argument.data));  // numbers that the host has are passed by value
        sizes += static_cast<std::size_t>(argument.rank);
    }
    if (sizes > detail::most_values) return false;  // too many to follow
    std::array<std::int64_t, detail::most_values> values;
    const EntryPtr entry = operations().find(key_, call, device, record, values.data());
    if (!entry->uncompiled.empty()) return false;
    Recording callee(record);
    const plan::Outcome outcome = entry->run(call, values.data(), callee, results);
    if (outcome.error) std::rethrow_exception(outcome.error);
    return outcome.kind == plan::Outcome::Kind::done;
}

}  // namespace fastnp::api
