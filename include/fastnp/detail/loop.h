// What loops are made of, for the front ends.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fastnp/array.h"
#include "fastnp/export.h"

namespace fastnp {

/// \addtogroup loops
/// @{

/// Keyword arguments of loop() and scan(): scan(body, init, parts, {.backward = true}).
struct LoopOptions {
    /// From the last turn to the first.
    bool backward = false;
    /// How many turns lie between the states that the derivative in reverse mode keeps; those between are computed again. 0: one, as long as all states
    /// take little memory, else about the square root of the count.
    std::int64_t save_every = 0;
    /// Whether the body binds its states anew, as variables, and never writes to what it is given: RecordError where it does.
    bool are_variables = false;
    /// Of which to which number the first array of parts has those of a front end's, which are exact and count less than arrays: TypeError where an
    /// iteration may compute something else with them than with arrays.
    std::optional<std::pair<std::int64_t, std::int64_t>> numbers{};
};

/// @}

namespace detail {

struct TurnResult {
    std::vector<array> states, collected;
};
using TurnFunction = std::function<TurnResult(std::span<const array> states, std::span<const array> parts)>;

/// Takes turns of `body` on states, and on one after the other of the parts of arrays along their first axis; gives the last states, and what each turn
/// gave besides along a new first axis. In a recording the body is recorded once, and the loop stays a loop; outside of one it is called at each turn.
/// ValueError for arrays of another number of parts, TypeError where a turn changes a state's shape or dtype.
FASTNP_API TurnResult take_turns(std::int64_t count, std::span<const array> states, std::span<const array> parts, const LoopOptions& options,
                                 const TurnFunction& body);
/// The same for a number of turns that is an array: an integer of no axes.
FASTNP_API TurnResult take_turns(const array& count, std::span<const array> states, std::span<const array> parts, const LoopOptions& options,
                                 const TurnFunction& body);
/// The same for as many turns as the arrays have parts. ValueError where there are none, or they have none.
FASTNP_API TurnResult take_turns(std::span<const array> states, std::span<const array> parts, const LoopOptions& options, const TurnFunction& body);

using ConditionFunction = std::function<array(std::span<const array> states)>;
using StateFunction = std::function<std::vector<array>(std::span<const array> states)>;

/// The states after turns of `body`, as long as `condition` of them holds. In a recording both are recorded once. TypeError where the condition is no
/// array of no axes, or where a turn changes a state's shape or dtype.
FASTNP_API std::vector<array> take_while(std::span<const array> states, const ConditionFunction& condition, const StateFunction& body);

using BranchFunction = std::function<std::vector<array>()>;

/// What one of two functions gives: of which the other is not called outside of recordings, and not run in them. TypeError where the predicate is no
/// array of no axes, or where they give arrays of other shapes or dtypes.
FASTNP_API std::vector<array> take_branch(const array& predicate, const BranchFunction& then, const BranchFunction& otherwise);

/// 0, 1, 2 ... below a count.
FASTNP_API array turn_numbers(std::int64_t count);
FASTNP_API array turn_numbers(const array& count);

}  // namespace detail
}  // namespace fastnp
