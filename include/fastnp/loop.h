// Loops and branches that stay what they are when they are compiled: a body is recorded once, so neither compile time nor the size of the code depends on
// the number of turns; and they have derivatives, in both modes and to any order, and are batched, as everything else is. (jax.lax.fori_loop,
// jax.lax.scan, jax.lax.while_loop, jax.lax.cond) Bodies over numbers, and over elements of arrays, become native code without calls or memory of its own.
#pragma once

#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "fastnp/detail/loop.h"
#include "fastnp/detail/transforms.h"
#include "fastnp/error.h"

namespace fastnp {

namespace detail {

/// A state: plain numbers are arrays of no axes.
template <class T>
using LoopState = std::conditional_t<std::is_arithmetic_v<T>, array, T>;

}  // namespace detail

/// The state after `count` turns of `state = body(turn, state)` or `state = body(state)`, beginning with `init`. `count`: a number, or an integer array of
/// no axes, which may differ from call to call of a compiled function. `turn`: int64, from 0. A state is an array, or tuples, vectors and structs of
/// arrays; with several, the body takes them all and gives a tuple of them, as loop() does; plain numbers are arrays of no axes. Their number, shapes and
/// dtypes stay what they are (else TypeError); the body may write to the states that it is given, which leaves `init` as it is. Outside of compiled
/// functions and transforms the body is called at each turn. In them it is recorded once: it can't read values (RecordError, and the compiled function
/// runs as written) and writes to no array from outside.
template <class Count, class Body, class... State>
auto loop(const LoopOptions& options, const Count& count, Body&& body, State... init) {
    static_assert(sizeof...(State) > 0, "fastnp::loop: give it a state");
    using All = std::tuple<detail::LoopState<State>...>;
    constexpr bool takes_turn = std::is_invocable_v<Body&, const array&, detail::LoopState<State>&...>;
    static_assert(takes_turn || std::is_invocable_v<Body&, detail::LoopState<State>&...>,
                  "fastnp::loop: the body takes the states, or the number of the turn and the states");
    All state(std::move(init)...);
    const std::vector<array> begin = detail::leaves_of(state);
    std::vector<array> parts;
    if constexpr (takes_turn) parts.push_back(detail::turn_numbers(count));
    const auto turn = [&](std::span<const array> now, std::span<const array> part) {
        All given = state;
        detail::put_leaves(given, now);
        const auto call = [&](detail::LoopState<State>&... each) {
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
template <class Body, class Init, class Parts>
auto scan(Body&& body, Init first, Parts parts, const LoopOptions& options = {}) {
    using State = detail::LoopState<Init>;
    State init(std::move(first));
    static_assert(std::is_invocable_v<Body&, State&, Parts&>, "fastnp::scan: the body takes the state, and the parts of a turn");
    using Result = std::remove_cvref_t<std::invoke_result_t<Body&, State&, Parts&>>;
    static_assert(detail::is_pair<Result>, "fastnp::scan: the body gives a pair of the next state and what is collected");
    std::optional<typename Result::second_type> made;
    const std::vector<array> begin = detail::leaves_of(init), all = detail::leaves_of(parts);
    const auto turn = [&](std::span<const array> now, std::span<const array> part) {
        State state = init;
        Parts own = parts;
        detail::put_leaves(state, now);
        detail::put_leaves(own, part);
        Result result = body(state, own);
        made.emplace(std::move(result.second));
        return detail::TurnResult{detail::leaves_of(result.first), detail::leaves_of(*made)};
    };
    const detail::TurnResult last = detail::take_turns(begin, all, options, turn);
    detail::put_leaves(init, last.states);
    detail::put_leaves(*made, last.collected);
    return std::pair(std::move(init), std::move(*made));
}

/// The state after turns of `state = body(state)`, as long as condition(state) holds, beginning with `init`. States as loop() has them; the condition is
/// an array of no axes, or a bool. How many turns there are may depend on anything, and differ from call to call. Outside of compiled functions and
/// transforms condition and body are called at each turn. In them both are recorded once, as loop() says of its body. A derivative in reverse mode
/// takes the turns again, once it knows how many there are: not in the body of another loop (RecordError). Mapped parts stop one by one.
/// (jax.lax.while_loop)
///
///     // The whole root: the first x whose square is no longer below n.
///     fastnp::while_loop([&](array x) { return x * x < n; }, [](array x) { return x + 1; }, 0);
template <class Condition, class Body, class... State>
auto while_loop(Condition&& condition, Body&& body, State... init) {
    static_assert(sizeof...(State) > 0, "fastnp::while_loop: give it a state");
    using All = std::tuple<detail::LoopState<State>...>;
    static_assert(std::is_invocable_v<Condition&, detail::LoopState<State>&...>, "fastnp::while_loop: the condition takes the states");
    static_assert(std::is_invocable_v<Body&, detail::LoopState<State>&...>, "fastnp::while_loop: the body takes the states");
    All state(std::move(init)...);
    const auto with = [&](std::span<const array> now) {
        All given = state;
        detail::put_leaves(given, now);
        return given;
    };
    const auto holds = [&](std::span<const array> now) {
        All given = with(now);
        return array(std::apply(condition, given));
    };
    const auto turn = [&](std::span<const array> now) {
        All given = with(now);
        auto next = std::apply(body, given);
        return detail::leaves_of(next);
    };
    detail::put_leaves(state, detail::take_while(detail::leaves_of(state), holds, turn));
    return detail::OneOrTuple<All>::of(std::move(state));
}

/// then(arguments...) where the predicate holds, else otherwise(arguments...): one of them is run. Predicate: an array of no axes. Both give arrays, or
/// tuples, vectors and structs of arrays, of the same shapes and dtypes (else TypeError). In compiled functions and transforms both are recorded, as
/// loop() says of its body; in a batch over predicates both are run where any part takes them. (jax.lax.cond)
///
///     fastnp::cond(x > 0, [](array x) { return sqrt(x); }, [](array x) { return x * 0.0; }, x);
template <class Then, class Otherwise, class... Arguments>
auto cond(const array& predicate, Then&& then, Otherwise&& otherwise, const Arguments&... arguments) {
    using Result = std::remove_cvref_t<std::invoke_result_t<Then&, const Arguments&...>>;
    static_assert(std::is_same_v<Result, std::remove_cvref_t<std::invoke_result_t<Otherwise&, const Arguments&...>>>,
                  "fastnp::cond: both functions give the same");
    std::optional<Result> made;
    const auto leaves = [&](auto& function) {
        return [&] {
            made.emplace(function(arguments...));
            return detail::leaves_of(*made);
        };
    };
    const std::vector<array> results = detail::take_branch(predicate, leaves(then), leaves(otherwise));
    detail::put_leaves(*made, results);
    return std::move(*made);
}

}  // namespace fastnp
