#include "plan/loop_arrays.h"

#include <algorithm>

#include "eager/eager.h"
#include "plan/launch.h"
#include "plan/rows.h"
#include "shape/strides.h"

namespace fastnp::plan {

namespace {

device::Memory filled(device::Memory memory, const device::Memory& from) {
    eager::copy({from.data, from.dtype, from.shape, from.strides}, {memory.data, memory.dtype, memory.shape, memory.strides});
    return memory;
}

device::Memory copy_of(const device::Memory& memory) { return filled(device::allocate(memory.dtype, memory.shape), memory); }

device::Memory in_order(const device::Memory& memory) {
    return memory.strides == shape::c_strides(memory.shape, itemsize_of(memory.dtype)) ? memory : copy_of(memory);
}

}  // namespace

LoopArrays::LoopArrays(const LoopStep& step, const std::vector<device::Memory>& operands, const std::int64_t* values)
    : step_(step), count_(value_of(step.count, values)) {
    const std::size_t state_count = step.states.size();
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (i >= state_count) {
            others_.push_back(in_order(operands[i]));
            continue;
        }
        strides_.emplace_back();
        for (const shape::Dim dim : step.strides[i]) strides_.back().push_back(value_of(dim, values));
        states.push_back(operands[i]);
        if (step.written[i] || operands[i].strides != strides_.back()) states.back() = filled(made(i), operands[i]);
        bytes_.push_back(shape::byte_count(states.back().shape, itemsize_of(states.back().dtype)));
    }
    for (std::size_t i = 0; i < step.collected.size(); ++i) {
        const bool wanted = step.given[state_count + i] >= 0;  // else each turn may overwrite it
        collected_.push_back(stack_of(step.collected[i], wanted ? count_ : 1, values));
        part_bytes_.push_back(wanted ? collected_.back().strides[0] : 0);
    }
    const std::int64_t every = step.looped.save_every;
    if (every != 0) saves_ = (count_ + every - 1) / every;
    for (std::size_t i = 0; i < state_count && every != 0; ++i) {
        const bool wanted = step.given[state_count + collected_.size() + i] >= 0;
        saved_.push_back(wanted ? stack_of(step.states[i], saves_, values) : device::Memory{});
    }
}

// Arrays that take turns don't begin at the same place of a page.
device::Memory LoopArrays::made(std::size_t state) {
    constexpr std::size_t page = 4096;
    const auto& [buffer, data, dtype, shape, strides] = states[state];
    if (strides_[state] == shape::c_strides(shape, itemsize_of(dtype))) return device::allocate(dtype, shape);
    const std::size_t skipped = static_cast<std::size_t>(set_apart) * padded_++ % page;
    device::BufferPtr made = device::Buffer::allocate(static_cast<std::size_t>(strides_[state][0] * shape[0]) + skipped);
    void* const first = static_cast<char*>(made->data()) + skipped;
    return {std::move(made), first, dtype, shape, strides_[state]};
}

device::Memory LoopArrays::stack_of(const ir::Call::Type& type, std::int64_t count, const std::int64_t* values) const {
    Shape shape{count};
    for (const shape::Dim dim : type.shape) shape.push_back(value_of(dim, values));
    return device::allocate(type.dtype, shape);
}

void* LoopArrays::argument(std::size_t number, std::int64_t turn) const {
    const std::size_t other = number - state_count();
    if (other >= others_.size()) {
        const std::size_t collected = other - others_.size();
        return static_cast<char*>(collected_[collected].data) + number_of(turn) * part_bytes_[collected];
    }
    const std::int64_t moved = other < step_.parts ? number_of(turn) * others_[other].strides[0] : 0;
    return static_cast<char*>(others_[other].data) + moved;
}

void* LoopArrays::first(std::size_t number) const {
    const std::size_t other = number - state_count();
    return other < others_.size() ? others_[other].data : collected_[other - others_.size()].data;
}

void* LoopArrays::saved_at(std::size_t state, std::int64_t turn) const {
    const std::int64_t every = step_.looped.save_every;
    if (every == 0 || turn % every != 0 || !saved_[state].buffer) return nullptr;
    const std::int64_t place = step_.looped.backward ? saves_ - 1 - turn / every : turn / every;
    return static_cast<char*>(saved_[state].data) + static_cast<std::size_t>(place) * bytes_[state];
}

std::vector<device::Memory> LoopArrays::given() const {
    std::vector<device::Memory> given = states;
    for (std::size_t i = 0; i < given.size(); ++i) {
        const auto shares = [&](const device::Memory& other) { return other.buffer == given[i].buffer; };
        const bool is_shared = given[i].buffer == nullptr || std::any_of(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(i), shares);
        given[i] = is_shared ? copy_of(given[i]) : in_order(given[i]);
    }
    given.insert(given.end(), collected_.begin(), collected_.end());
    given.insert(given.end(), saved_.begin(), saved_.end());
    return given;
}

}  // namespace fastnp::plan
