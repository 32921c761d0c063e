#include "plan/turns.h"

#include <algorithm>
#include <cstring>

#include "eager/eager.h"
#include "fastnp/error.h"
#include "shape/strides.h"

namespace fastnp::plan {

namespace {

device::Memory copy_of(const device::Memory& memory) {
    device::Memory copy = device::allocate(memory.dtype, memory.shape);
    eager::copy({memory.data, memory.dtype, memory.shape, memory.strides}, {copy.data, copy.dtype, copy.shape, copy.strides});
    return copy;
}

// What bodies take: C order.
device::Memory in_order(const device::Memory& memory) {
    return memory.strides == shape::c_strides(memory.shape, itemsize_of(memory.dtype)) ? memory : copy_of(memory);
}

class Turns {
public:
    Turns(const LoopStep& step, const std::vector<device::Memory>& operands, std::int64_t* values, trace::Caller& caller)
        : step_(step), values_(values), caller_(caller), count_(value_of(step.count)), states_(step.states.size()) {
        for (const device::Memory& operand : operands) operands_.push_back(in_order(operand));
        for (std::size_t i = 0; i < states_; ++i) {
            if (step.written[i]) operands_[i] = copy_of(operands_[i]);
            bytes_.push_back(shape::byte_count(operands_[i].shape, itemsize_of(operands_[i].dtype)));
        }
        for (std::size_t i = 0; i < step.collected.size(); ++i) {
            const bool wanted = step.given[states_ + i] >= 0;  // else each turn may overwrite it
            collected_.push_back(stack_of(step.collected[i], wanted ? count_ : 1));
            part_bytes_.push_back(wanted ? collected_.back().strides[0] : 0);
        }
        const std::int64_t every = step.looped.save_every;
        if (every != 0) saves_ = (count_ + every - 1) / every;
        for (std::size_t i = 0; i < states_ && every != 0; ++i) {
            const bool wanted = step.given[states_ + collected_.size() + i] >= 0;
            saved_.push_back(wanted ? stack_of(step.states[i], saves_) : device::Memory{});
        }
    }

    std::vector<device::Memory> run() {
        for (const device::Memory& operand : operands_) arguments_.push_back(operand.data);
        for (const device::Memory& memory : collected_) arguments_.push_back(memory.data);
        for (std::int64_t turn = 0; turn < count_; ++turn) take(turn);
        std::vector<device::Memory> given(operands_.begin(), operands_.begin() + static_cast<std::ptrdiff_t>(states_));
        for (std::size_t i = 0; i < states_; ++i) {
            const auto shares = [&](const device::Memory& other) { return other.buffer == given[i].buffer; };
            if (given[i].buffer == nullptr || std::any_of(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(i), shares))
                given[i] = copy_of(given[i]);
        }
        given.insert(given.end(), collected_.begin(), collected_.end());
        given.insert(given.end(), saved_.begin(), saved_.end());
        return given;
    }

private:
    std::int64_t value_of(shape::Dim dim) const { return dim.is_constant() ? dim.value() : values_[dim.id()]; }

    device::Memory stack_of(const ir::Call::Type& type, std::int64_t count) const {
        Shape shape{count};
        for (const shape::Dim dim : type.shape) shape.push_back(value_of(dim));
        return device::allocate(type.dtype, shape);
    }

    void save(std::int64_t place) {
        for (std::size_t i = 0; i < states_; ++i) {
            if (saved_[i].buffer)
                std::memcpy(static_cast<char*>(saved_[i].data) + static_cast<std::size_t>(place) * bytes_[i], operands_[i].data, bytes_[i]);
        }
    }

    void take(std::int64_t turn) {
        const std::int64_t number = step_.looped.backward ? count_ - 1 - turn : turn;
        if (step_.looped.save_every != 0 && turn % step_.looped.save_every == 0) {
            const std::int64_t place = turn / step_.looped.save_every;
            save(step_.looped.backward ? saves_ - 1 - place : place);
        }
        for (std::size_t i = 0; i < states_; ++i) arguments_[i] = operands_[i].data;
        for (std::size_t i = states_; i < states_ + step_.parts; ++i) {
            arguments_[i] = static_cast<char*>(operands_[i].data) + number * operands_[i].strides[0];
        }
        for (std::size_t i = 0; i < collected_.size(); ++i) {
            arguments_[operands_.size() + i] = static_cast<char*>(collected_[i].data) + number * part_bytes_[i];
        }
        results_.clear();
        const Outcome outcome = step_.body->run(arguments_, values_, caller_, results_);
        if (outcome.error) std::rethrow_exception(outcome.error);
        if (outcome.kind != Outcome::Kind::done) throw InternalError("a turn of a loop that came to no end");
        next_.clear();
        for (Result& result : results_) {
            if (result.argument >= 0) result.memory.buffer = operands_[static_cast<std::size_t>(result.argument)].buffer;
            next_.push_back(std::move(result.memory));
        }
        for (std::size_t i = 0; i < states_; ++i) operands_[i] = std::move(next_[i]);
    }

    const LoopStep& step_;
    std::int64_t* values_;
    trace::Caller& caller_;
    std::int64_t count_, saves_ = 0;
    std::size_t states_;
    std::vector<device::Memory> operands_;  // the states as they are now first; without a buffer where the memory is not the loop's own
    std::vector<std::size_t> bytes_;        // of each state
    std::vector<device::Memory> collected_, saved_, next_;
    std::vector<std::int64_t> part_bytes_;  // of each that is collected
    std::vector<void*> arguments_;
    std::vector<Result> results_;
};

}  // namespace

std::vector<device::Memory> run_turns(const LoopStep& step, const std::vector<device::Memory>& operands, std::int64_t* values, trace::Caller& caller) {
    return Turns(step, operands, values, caller).run();
}

}  // namespace fastnp::plan
