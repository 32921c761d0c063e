// Loops that stay loops when they are compiled: the body is recorded once, so neither compile time nor the size of the code depends on the number of
// turns; and they have derivatives, in both modes and to any order, and are batched, as everything else is. (jax.lax.fori_loop, jax.lax.scan)
#pragma once

#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "fastnp/detail/loop.h"
#include "fastnp/detail/transforms.h"
#include "fastnp/error.h"

namespace fastnp {

/// The state after `count` turns of `state = body(turn, state)` or `state = body(state)`, beginning with `init`. `count`: a number, or an integer array of
/// no axes, which may differ from call to call of a compiled function. `turn`: int64, from 0. A state is an array, or tuples, vectors and structs of
/// arrays; with several, the body takes them all and gives a tuple of them, as loop() does. Their number, shapes and dtypes stay what they are
/// (else TypeError); the body may write to the states that it is given, which leaves `init` as it is. Outside of compiled functions and transforms the
/// body is called at each turn. In them it is recorded once: it can't read values (RecordError, and the compiled function runs as written) and writes to
/// no array from outside.
template <class Count, class Body, class... State>
auto loop(const LoopOptions& options, const Count& count, Body&& body, State... init) {
    static_assert(sizeof...(State) > 0, "fastnp::loop: give it a state");
    using All = std::tuple<State...>;
    constexpr bool takes_turn = std::is_invocable_v<Body&, const array&, State&...>;
    static_assert(takes_turn || std::is_invocable_v<Body&, State&...>,
                  "fastnp::loop: the body takes the states, or the number of the turn and the states");
    All state(std::move(init)...);
    const std::vector<array> begin = detail::leaves_of(state);
    std::vector<array> parts;
    if constexpr (takes_turn) parts.push_back(detail::turn_numbers(count));
    const auto turn = [&](std::span<const array> now, std::span<const array> part) {
        All given = state;
        detail::put_leaves(given, now);
        const auto call = [&](State&... each) {
            if constexpr (takes_turn) return body(part[0], each...);
            else return (void)part, body(each...);
        };
        static_assert(!std::is_void_v<decltype(std::apply(call, given))>, "fastnp::loop: the body gives nothing; it is to return the next state");
        if constexpr (std::is_void_v<decltype(std::apply(call, given))>) {
            return detail::TurnResult();
        } else {
            auto next = std::apply(call, given);
            return detail::TurnResult{detail::leaves_of(next), {}};
        }
    };
    const detail::TurnResult last = detail::take_turns(count, begin, parts, options, turn);
    detail::put_leaves(state, last.states);
    return detail::OneOrTuple<All>::of(std::move(state));
}
template <class Count, class Body, class... State>
    requires(!std::is_same_v<std::remove_cvref_t<Count>, LoopOptions>)
auto loop(const Count& count, Body&& body, State... init) {
    return loop(LoopOptions(), count, std::forward<Body>(body), std::move(init)...);
}

/// The last state, and what each turn gave besides along a new first axis: {state, y} = body(state, part) for each part of `parts` (an array, or tuples,
/// vectors and structs of arrays, all of one length) along the first axis. The state as loop() has it. (jax.lax.scan)
/// ValueError where the lengths differ.
template <class Body, class State, class Parts>
auto scan(Body&& body, State init, Parts parts, const LoopOptions& options = {}) {
    static_assert(std::is_invocable_v<Body&, State&, Parts&>, "fastnp::scan: the body takes the state, and the parts of a turn");
    using Result = std::remove_cvref_t<std::invoke_result_t<Body&, State&, Parts&>>;
    static_assert(detail::is_pair<Result>, "fastnp::scan: the body gives a pair of the next state and what is collected");
    std::optional<typename Result::second_type> made;
    const std::vector<array> begin = detail::leaves_of(init), all = detail::leaves_of(parts);
    if (all.empty() || all[0].ndim() == 0) throw ValueError("scan: there is no array whose first axis says how many turns to take");
    const auto turn = [&](std::span<const array> now, std::span<const array> part) {
        State state = init;
        Parts own = parts;
        detail::put_leaves(state, now);
        detail::put_leaves(own, part);
        Result result = body(state, own);
        made.emplace(std::move(result.second));
        return detail::TurnResult{detail::leaves_of(result.first), detail::leaves_of(*made)};
    };
    const detail::TurnResult last = detail::take_turns(all[0].shape(0), begin, all, options, turn);
    detail::put_leaves(init, last.states);
    detail::put_leaves(*made, last.collected);
    return std::pair(std::move(init), std::move(*made));
}

}  // namespace fastnp
