// Values of a recording, computed while it goes on, by the precompiled kernels on the arguments of the call at hand: for code that asks for them.
#pragma once

#include <deque>
#include <unordered_map>
#include <vector>

#include "device/memory.h"
#include "ir/graph.h"

namespace fastnp::trace {

class Evaluator {
public:
    /// What a parameter stands for in this call.
    void set(ir::Value parameter, device::Memory memory) { known_.insert_or_assign(parameter, std::move(memory)); }
    bool knows(ir::Value parameter) const { return known_.contains(parameter); }
    /// Forgets what was computed: it may lie in memory that is about to be written to.
    void forget();

    /// The value's elements; of what is computed on the way, the latest is kept for the next value. Sizes are those at hand.
    device::Memory evaluate(ir::Value value, const ir::Graph& graph);

private:
    using Uses = std::unordered_map<ir::Value, int>;  // how many values that are still to be computed take each
    std::vector<ir::Value> missing(ir::Value value, Uses& uses) const;
    void compute(ir::Value value, const ir::Graph& graph);
    void take_turns(ir::Value loop, const ir::Graph& graph);
    void keep(ir::Value value, device::Memory memory, std::size_t bytes);
    void forget_oldest(const Uses& uses);

    std::unordered_map<ir::Value, device::Memory> known_;
    std::unordered_map<ir::Value, std::vector<device::Memory>> looped_;  // what loops gave
    struct Computed {
        ir::Value value;
        std::size_t bytes;
    };
    std::deque<Computed> computed_;  // the oldest first
    std::size_t bytes_ = 0;          // of these
    std::size_t largest_ = 0;        // of one of them
};

}  // namespace fastnp::trace
