// Loops in a recording: what the body does at a turn, as values of the recording around it. That is what transforms walk; what runs is the closed form
// (ir::Body).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ir/graph.h"

namespace fastnp::trace {

/// Values that were recorded for branches: none is computed unless its branch is taken.
class Kept {
public:
    /// Those with numbers from `first` to `end`, not included, which are the last ones so far.
    void add(std::uint32_t first, std::uint32_t end);
    bool contains(ir::Value value) const;

private:
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges_;  // of their numbers, in order; none lies in another one
};

struct Turns {
    std::vector<ir::Value> states, parts;    // what the body is given: the states as they are, and the parts for this turn
    std::vector<ir::Value> next, collected;  // what it gives
    std::vector<ir::Value> effects;          // what is computed whether needed or not
    std::vector<ir::Value> constants{};      // what else it reads; close() finds them
    const Kept* kept = nullptr;              // what it computes itself though no turn changes it: a branch, which may not be taken

    /// What the body is given.
    std::vector<ir::Value> given() const;
    /// What it gives, and its effects.
    std::vector<ir::Value> ends() const;
};

/// Finds the constants, and gives the body as a graph of its own.
ir::Body close(const ir::Graph& graph, Turns& turns);

/// A value that stands for what a body is given.
ir::Value turn_value(ir::Graph& graph, Dtype dtype, const shape::Dims& shape);

/// Those of `values` that depend on one of `others`.
std::vector<bool> depend_on(std::span<const ir::Value> values, std::span<const ir::Value> others);

}  // namespace fastnp::trace
