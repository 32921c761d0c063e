// Loops and branches that stay what they are when they are compiled: a body is recorded once, so neither compile time nor the size of the code depends on
// the number of turns; and they have derivatives, in both modes and to any order, and are batched, as everything else is. (jax.lax.fori_loop,
// jax.lax.scan, jax.lax.while_loop, jax.lax.cond) Bodies over numbers, and over elements of arrays, become native code without calls or memory of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <source_location>
#include <tuple>
#include <type_traits>
#include <utility>

#include "fastnp/detail/loop.h"
#include "fastnp/detail/transforms.h"
#include "fastnp/error.h"

namespace fastnp {

/// \addtogroup loops
/// @{

/// How many turns a loop takes: an integer, or an integer array of no axes, which may differ from call to call of a compiled function.
class LoopCount {
public:
    /// Of a number, an array, or a Reference to one.
    template <class T>
        requires(!std::is_same_v<T, LoopOptions>)
    LoopCount(const T& count, const std::source_location& where = std::source_location::current()) : where_(where) {  // NOLINT: it is the number
        constexpr bool is_array = std::is_convertible_v<const T&, const array&>, is_number = std::is_convertible_v<const T&, std::int64_t>;
        static_assert((is_array || is_number) && !std::is_floating_point_v<T>,
                      "fastnp: a loop takes the number of its turns first, an integer or an integer array of no axes; then the body, and the state");
        if constexpr (is_array) array_ = count;
        else if constexpr (is_number) number_ = count;
    }

    /// visit(count), with the array or the number.
    template <class F>
    auto with(F&& visit) const {
        return array_ ? visit(*array_) : visit(number_);
    }
    /// Where the loop is, for its errors.
    const std::source_location& where() const { return where_; }

private:
    std::optional<array> array_;
    std::int64_t number_ = 0;
    std::source_location where_;
};

/// @}

namespace detail {

/// A state: plain numbers are arrays of no axes.
template <class T>
using LoopState = std::conditional_t<std::is_arithmetic_v<T>, array, T>;

/// The predicate of a cond(), and where that is.
class Predicate {
public:
    template <class T>
    Predicate(const T& value, const std::source_location& at = std::source_location::current()) : where(at) {  // NOLINT: it is the array
        constexpr bool is_one = std::is_convertible_v<const T&, const array&> || std::is_same_v<T, bool>;
        static_assert(is_one, "fastnp: the predicate of a cond, which comes first, is an array of no axes, or a bool");
        if constexpr (is_one) holds = array(value);
    }
    array holds;
    std::source_location where;
};

template <class Body, class... State>
auto loop_over(const LoopOptions& options, const LoopCount& count, Body& body, State... init) {
    using All = std::tuple<LoopState<State>...>;
    constexpr bool with_turn = std::is_invocable_v<Body&, const array&, LoopState<State>&...>;
    All state(std::move(init)...);
    const std::vector<array> begin = leaves_of(state);
    std::vector<array> parts;
    if constexpr (with_turn) parts.push_back(count.with([](const auto& turns) { return turn_numbers(turns); }));
    const auto turn = [&](std::span<const array> now, std::span<const array> part) {
        All given = state;
        put_leaves(given, now);
        const auto call = [&](LoopState<State>&... each) {
            if constexpr (with_turn) return body(part[0], each...);
            else return (void)part, body(each...);
        };
        auto next = std::apply(call, given);
        return TurnResult{leaves_of(next), {}};
    };
    const TurnResult last = count.with([&](const auto& turns) { return take_turns(turns, begin, parts, options, turn); });
    put_leaves(state, last.states);
    return OneOrTuple<All>::of(std::move(state));
}

template <class Body, class State, class Parts>
auto scan_over(const LoopOptions& options, Body& body, State init, Parts parts) {
    using Result = std::remove_cvref_t<std::invoke_result_t<Body&, State&, Parts&>>;
    std::optional<typename Result::second_type> made;
    const std::vector<array> begin = leaves_of(init), all = leaves_of(parts);
    const auto turn = [&](std::span<const array> now, std::span<const array> part) {
        State state = init;
        Parts own = parts;
        put_leaves(state, now);
        put_leaves(own, part);
        Result result = body(state, own);
        made.emplace(std::move(result.second));
        return TurnResult{leaves_of(result.first), leaves_of(*made)};
    };
    const TurnResult last = take_turns(begin, all, options, turn);
    put_leaves(init, last.states);
    put_leaves(*made, last.collected);
    return std::pair(std::move(init), std::move(*made));
}

template <class Condition, class Body, class... State>
auto while_over(Condition& condition, Body& body, State... init) {
    using All = std::tuple<LoopState<State>...>;
    All state(std::move(init)...);
    const auto with = [&](std::span<const array> now) {
        All given = state;
        put_leaves(given, now);
        return given;
    };
    const auto holds = [&](std::span<const array> now) {
        All given = with(now);
        return array(std::apply(condition, given));
    };
    const auto turn = [&](std::span<const array> now) {
        All given = with(now);
        auto next = std::apply(body, given);
        return leaves_of(next);
    };
    put_leaves(state, take_while(leaves_of(state), holds, turn));
    return OneOrTuple<All>::of(std::move(state));
}

template <class Condition, class Body, class... State>
auto while_at(const std::source_location& where, Condition& condition, Body& body, State... init) {
    using States = std::tuple<LoopState<State>...>;
    if constexpr (!check_states<States>()) return Refused();
    else if constexpr (!check_while<Condition, Body, States>()) return Refused();
    else return within("while_loop", where, [&] { return while_over(condition, body, std::move(init)...); });
}

}  // namespace detail

/// \addtogroup loops
/// @{

/// The state after `count` turns of `state = body(turn, state)` or `state = body(state)`, beginning with `init`. `turn`: int64, from 0. A state is an
/// array, or tuples, vectors and structs of arrays; with several, the body takes them all and gives a tuple of them, as loop() does; plain numbers are
/// arrays of no axes. Their number, shapes and dtypes stay what they are. The body may write to the states that it is given, which leaves `init` as it
/// is. Outside of compiled functions and transforms the body is called at each turn. In them it is recorded once: it can't read values (RecordError, and
/// the compiled function runs as written) and writes to no array from outside. (jax.lax.fori_loop)
///
///     const array power = loop(10, [](const array& x) { return x * 2; }, 1.0);                       // 1024
///     const array sum = loop(4, [](const array& turn, const array& x) { return x + turn; }, 0.0);  // 6
///
/// \returns the last state; of several a tuple.
/// \throws TypeError where a turn changes a state's shape or dtype, or the count is no integer; ValueError for a negative count.
template <class Body, class... State>
auto loop(const LoopOptions& options, const LoopCount& count, Body&& body, State... init) {
    using States = std::tuple<detail::LoopState<State>...>;
    if constexpr (!detail::check_states<States>()) return detail::Refused();
    else if constexpr (!detail::check_loop_body<Body, States>()) return detail::Refused();
    else return detail::within("loop", count.where(), [&] { return detail::loop_over(options, count, body, std::move(init)...); });
}
/// The same with the default options.
template <class Body, class... State>
auto loop(const LoopCount& count, Body&& body, State... init) {
    return loop(LoopOptions(), count, std::forward<Body>(body), std::move(init)...);
}

/// The last state, and what each turn gave besides along a new first axis: {state, y} = body(state, part) for each part of `parts` (an array, or tuples,
/// vectors and structs of arrays, all of one length) along the first axis. The state as loop() has it. (jax.lax.scan)
///
///     const auto [last, sums] = scan([](array s, array x) { return std::pair(s + x, s + x); }, 0.0, arange(4.0));  // 6; 0 1 3 6
///
/// \returns a pair of the last state and what was collected.
/// \throws ValueError where the lengths differ, or there are no parts; TypeError as loop().
template <class Body, class Init, class Parts>
auto scan(Body&& body, Init init, Parts parts, const LoopOptions& options = {}, const std::source_location& where = std::source_location::current()) {
    using State = detail::LoopState<Init>;
    if constexpr (!detail::check_states<std::tuple<State>>()) return detail::Refused();
    else if constexpr (!detail::check_scan<Body, State, Parts>()) return detail::Refused();
    else return detail::within("scan", where, [&] { return detail::scan_over(options, body, State(std::move(init)), std::move(parts)); });
}

/// The state after turns of `state = body(state)`, as long as condition(state) holds, beginning with `init`. States as loop() has them; the condition is
/// an array of no axes, or a bool. How many turns there are may depend on anything, and differ from call to call. Outside of compiled functions and
/// transforms condition and body are called at each turn. In them both are recorded once, as loop() says of its body. A derivative in reverse mode
/// takes the turns again, once it knows how many there are: not in the body of another loop (RecordError). Mapped parts stop one by one.
/// (jax.lax.while_loop)
///
///     // The whole root: the first x whose square is no longer below n.
///     fastnp::while_loop([&](array x) { return x * x < n; }, [](array x) { return x + 1; }, 0);
///
/// \returns the last state; of several a tuple.
/// \throws TypeError where the condition has axes, or a turn changes a state's shape or dtype.
template <class Condition, class Body, class State>
auto while_loop(Condition&& condition, Body&& body, State init, const std::source_location& where = std::source_location::current()) {
    return detail::while_at(where, condition, body, std::move(init));
}
/// The same over two states.
template <class Condition, class Body, class A, class B>
auto while_loop(Condition&& condition, Body&& body, A first, B second, const std::source_location& where = std::source_location::current()) {
    return detail::while_at(where, condition, body, std::move(first), std::move(second));
}
/// The same over three.
template <class Condition, class Body, class A, class B, class C>
auto while_loop(Condition&& condition, Body&& body, A first, B second, C third, const std::source_location& where = std::source_location::current()) {
    return detail::while_at(where, condition, body, std::move(first), std::move(second), std::move(third));
}
/// The same over more, whose errors tell the place of the compiled function or the transform around alone: a struct of them is one state.
template <class Condition, class Body, class... State>
    requires(sizeof...(State) == 0 || sizeof...(State) > 3)
auto while_loop(Condition&& condition, Body&& body, State... init) {
    using States = std::tuple<detail::LoopState<State>...>;
    if constexpr (!detail::check_states<States>()) return detail::Refused();
    else if constexpr (!detail::check_while<Condition, Body, States>()) return detail::Refused();
    else return detail::while_over(condition, body, std::move(init)...);
}

/// then(arguments...) where the predicate holds, else otherwise(arguments...): one of them is run. Predicate: an array of no axes, or a bool. Both give
/// arrays, or tuples, vectors and structs of arrays, of the same shapes and dtypes. In compiled functions and transforms both are recorded, as
/// loop() says of its body; in a batch over predicates both are run where any part takes them. (jax.lax.cond)
///
///     fastnp::cond(x > 0, [](array x) { return sqrt(x); }, [](array x) { return x * 0.0; }, x);
///
/// \returns what the function gave that was chosen.
/// \throws TypeError where the predicate has axes, or the two give arrays of other shapes or dtypes.
template <class Then, class Otherwise, class... Arguments>
auto cond(const detail::Predicate& predicate, Then&& then, Otherwise&& otherwise, const Arguments&... arguments) {
    if constexpr (detail::check_branches<Then, Otherwise, Arguments...>()) {
        using Result = std::remove_cvref_t<std::invoke_result_t<Then&, const Arguments&...>>;
        std::optional<Result> made;
        const auto leaves = [&](auto& function) {
            return [&] {
                made.emplace(function(arguments...));
                return detail::leaves_of(*made);
            };
        };
        const auto branch = [&] { return detail::take_branch(predicate.holds, leaves(then), leaves(otherwise)); };
        detail::put_leaves(*made, detail::within("cond", predicate.where, branch));
        return std::move(*made);
    } else {
        return detail::Refused();
    }
}

/// @}

}  // namespace fastnp
