#include "plan/device_turns.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "fastnp/error.h"
#include "ops/transforms.h"
#include "plan/device_copy.h"
#include "plan/device_run.h"
#include "plan/launch.h"
#include "shape/strides.h"

namespace fastnp::plan {

namespace {

using eager::View;

class DeviceTurns {
public:
    DeviceTurns(const LoopStep& step, DeviceRun& body, std::span<const View> operands, std::int64_t* values, trace::Caller& caller)
        : step_(step), backend_(*step.body->on_device.backend), values_(values), caller_(caller), count_(value_of(step.count, values)), body_(body) {
        for (std::size_t i = 0; i < operands.size(); ++i) {
            if (i < step.states.size()) add_state(operands[i]);
            else others_.push_back(in_order(operands[i]));
        }
        add_stacks();
        find_library_arguments();
        find_results();
        fix_places();
    }
    ~DeviceTurns() { body_.let_go(); }
    DeviceTurns(const DeviceTurns&) = delete;
    DeviceTurns& operator=(const DeviceTurns&) = delete;

    // Turns are asked for together: an even number, after which states that take turns at two places are where they were.
    void run() {
        std::size_t before = 0;  // held back two turns ago
        for (std::int64_t turn = 0; turn < count_; ++turn) {
            save(turn);
            put_results(turn + 1);
            find_arguments(turn);
            body_.start(arguments_, {}, values_, caller_);
            const Outcome outcome = body_.run();
            if (outcome.error) std::rethrow_exception(outcome.error);
            if (outcome.kind != Outcome::Kind::done) throw InternalError("a turn of a loop that came to no end");
            collect(turn);
            take_states();
            if (turn % 2 == 0) continue;
            const std::size_t now = body_.held_back();
            if (now < before || 2 * now - before > DeviceBatch::most) body_.flush();  // the next two would not fit
            before = body_.held_back();
        }
        body_.flush();
    }

    std::vector<DeviceArray> given() {
        std::vector<DeviceArray> given(step_.given.size());
        for (std::size_t i = 0; i < states_.size(); ++i) {
            if (step_.given[i] < 0) continue;
            const auto is_same = [&](const DeviceArray& other) { return other.there.buffer == states_[i].there.buffer; };
            const bool is_shared = states_[i].there.buffer == nullptr || std::ranges::any_of(saved_, is_same) ||
                                   std::any_of(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(i), is_same);
            given[i] = is_shared ? copy_of(states_[i].view) : in_order(std::move(states_[i]));
        }
        std::ranges::copy(collected_, given.begin() + static_cast<std::ptrdiff_t>(states_.size()));
        std::ranges::copy(saved_, given.begin() + static_cast<std::ptrdiff_t>(states_.size() + collected_.size()));
        return given;
    }

private:
    // New memory in C order.
    DeviceArray array_of(Dtype dtype, Shape shape) {
        device::There there = device::allocate_there(shape::byte_count(shape, itemsize_of(dtype)), backend_);
        Strides strides = shape::c_strides(shape, itemsize_of(dtype));
        char* const address = there.address;
        return {std::move(there), {address, dtype, std::move(shape), std::move(strides)}};
    }

    DeviceArray copy_of(const View& view) {
        DeviceArray copy = array_of(view.dtype, view.shape);
        copy_on_device(backend_, view, copy.view);
        return copy;
    }

    static bool is_in_order(const View& view) { return view.strides == shape::c_strides(view.shape, itemsize_of(view.dtype)); }
    DeviceArray in_order(const View& view) { return is_in_order(view) ? DeviceArray{{}, view} : copy_of(view); }
    DeviceArray in_order(DeviceArray array) { return is_in_order(array.view) ? std::move(array) : copy_of(array.view); }

    // States lie in C order, those that the body writes to in memory of the loop's.
    void add_state(const View& begins) {
        states_.push_back(step_.written[states_.size()] ? DeviceArray(copy_of(begins)) : in_order(begins));
        bytes_.push_back(shape::byte_count(begins.shape, itemsize_of(begins.dtype)));
    }

    DeviceArray stack_of(const ir::Call::Type& type, std::int64_t count) {
        Shape shape{count};
        for (const shape::Dim dim : type.shape) shape.push_back(value_of(dim, values_));
        return array_of(type.dtype, std::move(shape));
    }

    void add_stacks() {
        for (std::size_t i = 0; i < step_.collected.size(); ++i) {
            const bool wanted = step_.given[states_.size() + i] >= 0;  // else each turn may overwrite it
            collected_.push_back(stack_of(step_.collected[i], wanted ? count_ : 1));
            part_bytes_.push_back(wanted ? collected_.back().view.strides[0] : 0);
        }
        const std::int64_t every = step_.looped.save_every;
        if (every == 0) return;
        saves_ = (count_ + every - 1) / every;
        for (std::size_t i = 0; i < states_.size(); ++i) {
            const bool wanted = step_.given[states_.size() + collected_.size() + i] >= 0;
            saved_.push_back(wanted ? stack_of(step_.states[i], saves_) : DeviceArray());
        }
    }

    // Which of the body's arguments libraries read, or write to. A graph of their work would be captured again wherever these lie at another place.
    void find_library_arguments() {
        is_libraries_.assign(states_.size() + others_.size() + collected_.size(), false);
        constexpr std::int64_t few = 16;
        if (count_ < few) return;
        const auto mark = [&](const ViewOf& view, bool is) {
            const Slot& slot = step_.body->slots[static_cast<std::size_t>(view.slot)];
            if (slot.kind == Slot::Kind::argument) is_libraries_[static_cast<std::size_t>(slot.number)] = is;
        };
        for (const Step& step : step_.body->steps) {
            if (step.is_kernel || step.is_loop()) continue;
            if (ops::info(step.eager.op).kind != ops::Kind::contract && !ops::is_transform(step.eager.op)) continue;
            for (const ViewOf& operand : step.eager.operands) mark(operand, true);
            mark(step.eager.out, true);
        }
        // A state that is a part as it came goes on lying there.
        for (const ViewOf& output : step_.body->outputs) {
            const Slot& slot = step_.body->slots[static_cast<std::size_t>(output.slot)];
            if (static_cast<std::size_t>(slot.number) >= states_.size()) mark(output, false);
        }
    }

    // Small ones of these that move on from turn to turn are at one place for the body, from or to which they are copied.
    void fix_places() {
        fixed_.resize(others_.size() + collected_.size());
        for (std::size_t i = 0; i < fixed_.size(); ++i) {
            const bool is_part = i < others_.size();
            const DeviceArray& stack = is_part ? others_[i] : collected_[i - others_.size()];
            const bool moves = is_part ? i < step_.parts : part_bytes_[i - others_.size()] != 0;
            if (!moves || !is_libraries_[states_.size() + i]) continue;
            const Shape shape(stack.view.shape.begin() + 1, stack.view.shape.end());
            if (const std::size_t bytes = shape::byte_count(shape, itemsize_of(stack.view.dtype)); bytes != 0 && bytes <= most_copied) {
                fixed_[i] = array_of(stack.view.dtype, shape);
            }
        }
    }

    char* collected_at(std::size_t i, std::int64_t turn) const {
        const std::int64_t number = step_.looped.backward ? count_ - 1 - turn : turn;
        return static_cast<char*>(collected_[i].view.data) + number * part_bytes_[i];
    }

    void collect(std::int64_t turn) {
        for (std::size_t i = 0; i < collected_.size(); ++i) {
            const DeviceArray& fixed = fixed_[others_.size() + i];
            if (fixed.there.buffer != nullptr) body_.worker().copy(collected_at(i, turn), fixed.view.data, static_cast<std::size_t>(part_bytes_[i]));
        }
    }

    // Results that are all of a state, and are made where it is saved, if libraries do not read it there, and all places begin where kernels take results'
    // memory to begin (`nest::Buffer::aligned`). What a body writes to in place must not be what was saved.
    void find_results() {
        result_of_.assign(saved_.size(), -1);
        if (std::ranges::find(step_.written, true) != step_.written.end()) return;
        std::vector<bool> is_taken(static_cast<std::size_t>(step_.body->result_count), false);
        for (std::size_t i = 0; i < saved_.size(); ++i) {
            if ((is_libraries_[i] && bytes_[i] <= most_copied) || bytes_[i] % of_results != 0) continue;
            const ViewOf& output = step_.body->outputs[i];
            const Slot& slot = step_.body->slots[static_cast<std::size_t>(output.slot)];
            if (slot.kind != Slot::Kind::result || is_taken[static_cast<std::size_t>(slot.number)] || saved_[i].there.buffer == nullptr) continue;
            if (value_of(output.offset, values_) != 0 || static_cast<std::size_t>(value_of(slot.bytes, values_)) != bytes_[i]) continue;
            is_taken[static_cast<std::size_t>(slot.number)] = true;
            result_of_[i] = slot.number;
        }
    }

    /// Where a state is saved before a turn; null if it is not.
    char* saved_at(std::size_t state, std::int64_t turn) const {
        const std::int64_t every = step_.looped.save_every;
        if (saved_[state].there.buffer == nullptr || turn % every != 0 || turn >= count_) return nullptr;
        const std::int64_t place = step_.looped.backward ? saves_ - 1 - turn / every : turn / every;
        return static_cast<char*>(saved_[state].view.data) + static_cast<std::size_t>(place) * bytes_[state];
    }

    void put_results(std::int64_t turn) {
        for (std::size_t i = 0; i < saved_.size(); ++i) {
            if (result_of_[i] >= 0) body_.put(result_of_[i], saved_[i].there, saved_at(i, turn));
        }
    }

    void save(std::int64_t turn) {
        for (std::size_t i = 0; i < saved_.size(); ++i) {
            char* const place = saved_at(i, turn);
            if (place == nullptr || states_[i].view.data == place) continue;
            body_.worker().copy(place, states_[i].view.data, bytes_[i]);
        }
    }

    // The body's: states, parts, constants, what it collects.
    void find_arguments(std::int64_t turn) {
        const std::int64_t number = step_.looped.backward ? count_ - 1 - turn : turn;
        arguments_.clear();
        for (const DeviceArray& state : states_) arguments_.push_back(static_cast<char*>(state.view.data));
        for (std::size_t i = 0; i < others_.size(); ++i) {
            const std::int64_t moved = i < step_.parts ? number * others_[i].view.strides[0] : 0;
            char* place = static_cast<char*>(others_[i].view.data) + moved;
            if (fixed_[i].there.buffer != nullptr) {
                body_.worker().copy(fixed_[i].view.data, place, static_cast<std::size_t>(others_[i].view.strides[0]));
                place = static_cast<char*>(fixed_[i].view.data);
            }
            arguments_.push_back(place);
        }
        for (std::size_t i = 0; i < collected_.size(); ++i) {
            const DeviceArray& fixed = fixed_[others_.size() + i];
            arguments_.push_back(fixed.there.buffer != nullptr ? static_cast<char*>(fixed.view.data) : collected_at(i, turn));
        }
    }

    // What the body gave; the memory of states that are no more serves the results of later turns.
    void take_states() {
        next_.clear();
        for (std::size_t i = 0; i < states_.size(); ++i) {
            const ViewOf& output = step_.body->outputs[i];
            DeviceRun::Output lies = body_.output(output);
            const auto from = static_cast<std::size_t>(lies.argument);
            if (lies.argument >= 0 && from < states_.size()) lies.there = states_[from].there;
            DeviceArray& next = next_.emplace_back(std::move(lies.there), View{lies.base + value_of(output.offset, values_), output.dtype, {}, {}});
            for (const shape::Dim dim : output.shape) next.view.shape.push_back(value_of(dim, values_));
            for (const shape::Dim dim : output.strides) next.view.strides.push_back(value_of(dim, values_));
        }
        body_.end_turn();
        states_.swap(next_);
        // All is kept until the last turn is asked for.
        for (DeviceArray& before : next_) {
            const bool is_last = before.there.buffer.use_count() == 1;
            device::There there = std::exchange(before.there, {});
            if (is_last) body_.reuse(std::move(there));
        }
    }

    static constexpr std::size_t of_results = 64;  // bytes, at multiples of which their memory begins
    static constexpr std::size_t most_copied = std::size_t{1} << 20;  // bytes at a turn, for which a copy takes about what asking for a product does

    const LoopStep& step_;
    device::Backend& backend_;
    std::int64_t* values_;
    trace::Caller& caller_;
    const std::int64_t count_;
    DeviceRun& body_;
    std::vector<DeviceArray> states_, next_, others_, collected_, saved_, fixed_;  // fixed_: of the others, then of what is collected; else empty
    std::vector<bool> is_libraries_;  // by argument of the body
    std::vector<std::size_t> bytes_;  // of each state
    std::vector<int> result_of_;  // of each that is saved; -1: it is copied
    std::vector<std::int64_t> part_bytes_;  // of each that is collected
    std::vector<char*> arguments_;
    std::int64_t saves_ = 0;
};

}  // namespace

std::vector<DeviceArray> take_turns_on_device(const LoopStep& step, DeviceRun& body, std::span<const View> operands, std::int64_t* values,
                                              trace::Caller& caller) {
    DeviceTurns turns(step, body, operands, values, caller);
    turns.run();
    return turns.given();
}

}  // namespace fastnp::plan
