// The arrays of a loop while it runs.
#pragma once

#include <vector>

#include "plan/plan.h"

namespace fastnp::plan {

class LoopArrays {
public:
    /// `operands`: the states' beginnings, the arrays of parts, the constants.
    LoopArrays(const LoopStep& step, const std::vector<device::Memory>& operands, const std::int64_t* values);

    const LoopStep& step() const { return step_; }
    std::int64_t count() const { return count_; }
    bool is_while() const { return step_.looped.is_while; }
    /// Whether there is a turn with this number to take, where a loop as long as a state holds has it here.
    bool goes_on(std::int64_t turn, const void* first_state) const { return is_while() ? *static_cast<const bool*>(first_state) : turn < count_; }
    std::size_t state_count() const { return bytes_.size(); }
    std::size_t bytes_of(std::size_t state) const { return bytes_[state]; }
    /// New memory for a state, laid out as the body has it.
    device::Memory made(std::size_t state);

    /// The states as they are now; without a buffer where the memory is not the loop's own.
    std::vector<device::Memory> states;

    /// The first element of a body's argument at a turn: of a part, a constant, or what is collected.
    void* argument(std::size_t number, std::int64_t turn) const;
    /// The same of the first part, in memory.
    void* first(std::size_t number) const;
    /// Where all that is saved of a state lies; null if none is.
    void* first_saved(std::size_t state) const { return state < saved_.size() && saved_[state].buffer ? saved_[state].data : nullptr; }
    /// Where a state is saved before a turn; null if it is not.
    void* saved_at(std::size_t state, std::int64_t turn) const;
    std::size_t argument_count() const { return state_count() + others_.size() + collected_.size(); }

    /// What the loop gives: the states at the end, what was collected, what was saved, in memory that nothing else has; empty where nothing takes it.
    std::vector<device::Memory> given() const;

private:
    std::int64_t number_of(std::int64_t turn) const { return step_.looped.backward ? count_ - 1 - turn : turn; }
    device::Memory stack_of(const ir::Call::Type& type, std::int64_t count, const std::int64_t* values) const;

    const LoopStep& step_;
    std::int64_t count_, saves_ = 0;
    std::vector<std::size_t> bytes_;  // of each state
    std::vector<Strides> strides_;    // of each state
    std::size_t padded_ = 0;          // arrays with padded rows that were made
    std::vector<device::Memory> others_, collected_, saved_;
    std::vector<std::int64_t> part_bytes_;  // of each that is collected
};

}  // namespace fastnp::plan
