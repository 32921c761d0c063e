#include "plan/kernel_turns.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "plan/launch.h"
#include "plan/turn_tiles.h"
#include "shape/strides.h"

namespace fastnp::plan {

namespace {

constexpr std::int64_t most_steps = 4096;  // of turns that are taken together

// Memory that is a state at some turns. Of a family are those that take each other's place.
struct Block {
    device::Memory memory;
    int family;
    bool in_use;
};

// Which memory each slot of a body lies in, by number: families of states and results (those that are the same array at one turn or the next), groups of
// temporaries, what is collected; -1: parts, constants, and states that never change.
struct Memories {
    std::vector<int> of_slot, of_state, of_result;
    std::vector<int> copies;  // by number: arrays in use at once

    Memories(const LoopArrays& arrays, const Plan& body) {
        const std::size_t states = arrays.state_count();
        std::vector<std::size_t> parent(states + static_cast<std::size_t>(body.result_count));
        std::iota(parent.begin(), parent.end(), 0);
        const auto family_of = [&](std::size_t i) {
            while (parent[i] != i) i = parent[i];
            return i;
        };
        const auto place_of = [&](const Slot& slot) { return static_cast<std::size_t>(slot.number) + (slot.kind == Slot::Kind::result ? states : 0); };
        for (std::size_t i = 0; i < states; ++i) {
            parent[family_of(place_of(body.slots[static_cast<std::size_t>(body.outputs[i].slot)]))] = family_of(i);
        }
        std::vector<bool> changes(parent.size(), false);
        copies.assign(parent.size() + body.group_bytes.size() + arrays.step().collected.size(), 1);
        std::fill(copies.begin(), copies.begin() + static_cast<std::ptrdiff_t>(parent.size()), 0);
        for (std::size_t i = 0; i < parent.size(); ++i) {
            ++copies[family_of(i)];
            if (i >= states || arrays.step().written[i]) changes[family_of(i)] = true;
            (i < states ? of_state : of_result).push_back(static_cast<int>(family_of(i)));
        }
        const std::size_t first_collected = arrays.argument_count() - arrays.step().collected.size();
        for (const Slot& slot : body.slots) {
            const auto number = static_cast<std::size_t>(slot.number);
            std::size_t memory = copies.size();
            if (slot.kind == Slot::Kind::temporary) memory = parent.size() + static_cast<std::size_t>(body.temporary_group[number]);
            else if (slot.kind == Slot::Kind::result || number < states) memory = family_of(place_of(slot));
            else if (number >= first_collected) memory = parent.size() + body.group_bytes.size() + number - first_collected;
            const bool fixed = memory == copies.size() || (memory < parent.size() && !changes[memory]);
            of_slot.push_back(fixed ? -1 : static_cast<int>(memory));
        }
    }
};

class KernelTurns {
public:
    KernelTurns(LoopArrays& arrays, const std::int64_t* values)
        : arrays_(arrays), body_(*arrays.step().body), values_(values), memories_(arrays, body_), bases_(body_.slots.size(), nullptr) {
        for (std::size_t i = 0; i < arrays.state_count(); ++i) {
            state_.push_back(blocks_.size());
            blocks_.push_back({arrays.states[i], memories_.of_state[i], true});
        }
        make_temporaries();
        add_steps();
    }

    void run() {
        const auto each = static_cast<std::int64_t>(std::max<std::size_t>(steps_.size(), 1));
        const std::int64_t known = arrays_.is_while() ? 1 : arrays_.count();  // turns that are sure to be taken
        const TurnTiles tiles(steps_, memories_.copies, values_, std::min(known, most_steps / each));
        for (std::int64_t turn = 0; arrays_.goes_on(turn, state_.empty() ? nullptr : blocks_[state_[0]].memory.data);) {
            const std::int64_t together = tiles.together(arrays_.is_while() ? 1 : arrays_.count() - turn);
            pointers_.clear();
            for (std::int64_t i = 0; i < together; ++i) prepare(turn + i);
            tiles.run(pointers_, together);
            turn += together;
        }
        for (std::size_t i = 0; i < state_.size(); ++i) arrays_.states[i] = blocks_[state_[i]].memory;
    }

private:
    const Slot& slot_of_output(std::size_t i) const { return body_.slots[static_cast<std::size_t>(body_.outputs[i].slot)]; }

    void make_temporaries() {
        std::vector<std::size_t> places;
        std::size_t total = 0;
        for (const shape::Dim bytes : body_.group_bytes) {
            places.push_back(total);
            total += (shape::allocatable(value_of(bytes, values_)) + 63) / 64 * 64;
        }
        if (total == 0) return;
        temporaries_ = device::Buffer::allocate(total);
        for (std::size_t i = 0; i < body_.slots.size(); ++i) {
            if (body_.slots[i].kind != Slot::Kind::temporary) continue;
            const auto group = static_cast<std::size_t>(body_.temporary_group[static_cast<std::size_t>(body_.slots[i].number)]);
            bases_[i] = static_cast<char*>(temporaries_->data()) + places[group];
        }
    }

    // States are saved, then the kernels are run.
    void add_steps() {
        for (std::size_t i = 0; i < arrays_.state_count(); ++i) {
            if (arrays_.saved_at(i, 0) == nullptr) continue;
            saved_.push_back(i);
            steps_.push_back({nullptr, nullptr, nullptr, {memories_.of_state[i], -1}, arrays_.bytes_of(i)});
        }
        for (std::size_t i = 0; i < body_.steps.size(); ++i) {
            const KernelStep& kernel = body_.steps[i].kernel;
            TurnStep step{&kernel, &body_.kernels[kernel.number], &body_.schedules[kernel.number], {}, 0};
            for (const int slot : step.kernel->slots) step.memories.push_back(memories_.of_slot[static_cast<std::size_t>(slot)]);
            steps_.push_back(std::move(step));
        }
    }

    // Memory for a result: what is no state now.
    std::size_t block_for(int family, std::size_t state) {
        const auto fits = [&](const Block& block) { return !block.in_use && block.family == family; };
        const auto found = std::find_if(blocks_.begin(), blocks_.end(), fits);
        if (found == blocks_.end()) {
            blocks_.push_back({arrays_.made(state), family, true});
            return blocks_.size() - 1;
        }
        found->in_use = true;
        return static_cast<std::size_t>(found - blocks_.begin());
    }

    void find_bases(std::int64_t turn) {
        result_.assign(memories_.of_result.size(), 0);
        std::vector<bool> made(result_.size(), false);
        for (std::size_t i = 0; i < state_.size(); ++i) {
            const Slot& slot = slot_of_output(i);
            const auto number = static_cast<std::size_t>(slot.number);
            if (slot.kind != Slot::Kind::result || made[number]) continue;
            result_[number] = block_for(memories_.of_result[number], i);
            made[number] = true;
        }
        for (std::size_t i = 0; i < bases_.size(); ++i) {
            const Slot& slot = body_.slots[i];
            const auto number = static_cast<std::size_t>(slot.number);
            if (slot.kind == Slot::Kind::result) bases_[i] = blocks_[result_[number]].memory.data;
            else if (slot.kind == Slot::Kind::argument)
                bases_[i] = number < state_.size() ? blocks_[state_[number]].memory.data : arrays_.argument(number, turn);
        }
    }

    // Adds the pointers of a turn's steps, and goes on to the states after it.
    void prepare(std::int64_t turn) {
        find_bases(turn);
        for (const std::size_t state : saved_) {
            pointers_.push_back(blocks_[state_[state]].memory.data);
            pointers_.push_back(arrays_.saved_at(state, turn));
        }
        for (std::size_t i = saved_.size(); i < steps_.size(); ++i) {
            const KernelStep& step = *steps_[i].kernel;
            for (std::size_t b = 0; b < step.slots.size(); ++b) {
                pointers_.push_back(static_cast<char*>(bases_[static_cast<std::size_t>(step.slots[b])]) + step.offsets[b]);
            }
        }
        next_.clear();
        for (std::size_t i = 0; i < state_.size(); ++i) {
            const Slot& slot = slot_of_output(i);
            const auto number = static_cast<std::size_t>(slot.number);
            next_.push_back(slot.kind == Slot::Kind::result ? result_[number] : state_[number]);
        }
        for (const std::size_t block : state_) blocks_[block].in_use = blocks_[block].memory.buffer == nullptr;  // others' memory is never written
        for (const std::size_t block : next_) blocks_[block].in_use = true;
        state_.swap(next_);
    }

    LoopArrays& arrays_;
    const Plan& body_;
    const std::int64_t* values_;
    Memories memories_;
    std::vector<Block> blocks_;
    std::vector<std::size_t> state_, next_, result_;  // the block of each
    std::vector<std::size_t> saved_;                  // states
    std::vector<void*> bases_;                        // by slot, at a turn
    std::vector<void*> pointers_;                     // by turn, step and buffer
    std::vector<TurnStep> steps_;
    device::BufferPtr temporaries_;
};

// Whether what a body gives for a state is all of a result's or of a state's memory, laid out as the body has its states.
bool is_whole(const ViewOf& view, const Plan& body, const LoopStep& step, std::size_t state, const std::int64_t* values) {
    const Slot& slot = body.slots[static_cast<std::size_t>(view.slot)];
    const auto number = static_cast<std::size_t>(slot.number);
    if (slot.kind != Slot::Kind::result && !(slot.kind == Slot::Kind::argument && number < step.states.size())) return false;
    const ir::Call::Type& lies_in = step.states[slot.kind == Slot::Kind::result ? state : number];
    if (value_of(view.offset, values) != 0 || view.dtype != lies_in.dtype || !(view.shape == lies_in.shape)) return false;
    const shape::Dims& wanted = step.strides[state];
    return std::equal(view.strides.begin(), view.strides.end(), wanted.begin(), wanted.end(),
                      [&](const shape::Dim& x, const shape::Dim& y) { return value_of(x, values) == value_of(y, values); });
}

}  // namespace

bool is_of_kernels(const LoopStep& step, const std::int64_t* values) {
    const Plan& body = *step.body;
    if (body.given_count != 0) return false;
    for (const Step& each : body.steps) {
        if (!each.is_kernel) return false;
    }
    for (std::size_t i = 0; i < step.states.size(); ++i) {
        if (!is_whole(body.outputs[i], body, step, i, values)) return false;
    }
    return true;
}

void take_kernel_turns(LoopArrays& arrays, const std::int64_t* values) { KernelTurns(arrays, values).run(); }

}  // namespace fastnp::plan
