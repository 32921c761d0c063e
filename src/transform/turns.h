// Loops that stay loops: how they are recorded, and their derivatives and batches, which are loops again.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fastnp/detail/loop.h"
#include "trace/turns.h"
#include "transform/values.h"

namespace fastnp::transform {

/// A state's beginning, or an array of parts, and the value that stands for it in the body; null: a new one.
struct Operand {
    array value;
    Value place = nullptr;
};

struct LoopShape {
    shape::Dim count;
    bool backward = false;
    std::int64_t save_every = 0, wanted_every = 0, covers = -1;  // as ir::Looped has them
    bool is_while = false, is_once = false, are_variables = false;
    std::optional<std::pair<std::int64_t, std::int64_t>> numbers{};  // LoopOptions::numbers
};

struct Turned {
    std::vector<array> states, collected, saved;
    std::vector<bool> uses_part{};  // which arrays of parts the body has a use for
};

/// What was recorded of a loop: its body as values of the recording around it.
const trace::Turns& turns_of(const ir::Looped& looped);
/// What a turn begins with: states, parts, constants; and what it gives: the next states, what it collects.
std::vector<Value> starts_of(const trace::Turns& turns);
std::vector<Value> results_of(const trace::Turns& turns);

/// A branch: what it gives, and what it does besides.
struct Branch {
    std::vector<array> results;
    std::vector<Value> effects;
};
/// Records what a function gives for the body of a loop that takes one turn at most: it is done nowhere else.
Branch record_branch(const std::function<std::vector<array>()>& function);
/// ... there.
std::vector<array> in_branch(const Branch& branch);

using TurnBody = std::function<detail::TurnResult(std::span<const array> states, std::span<const array> parts)>;

/// Records a loop: the body once. TypeError for a body that changes the type of a state.
Turned record_loop(const LoopShape& loop, std::span<const Operand> states, std::span<const Operand> parts, const TurnBody& body);

/// A loop of a body that is known, on other states and parts, or for another number of turns.
Turned loop_of(const ir::Looped& looped, shape::Dim count, std::span<const array> operands);

/// The cotangents of a loop's operands, as far as they are wanted, for those of its arrays (by their number). Goes back through states that are saved
/// every so many turns; those between are computed again.
std::vector<std::optional<array>> pull_back_loop(const ir::Node& loop, const std::map<std::int64_t, array>& cotangents, const std::vector<bool>& wanted);
/// The tangents of a loop's arrays for those of its operands.
std::vector<std::optional<array>> push_forward_loop(const ir::Node& loop, const std::vector<std::optional<array>>& tangents);
/// All parts of a loop's arrays, for those of its operands (nothing for what is the same in all parts).
std::vector<array> batch_loop(const ir::Node& loop, const std::vector<std::optional<array>>& operands, shape::Dim count, std::int64_t axis);

}  // namespace fastnp::transform
