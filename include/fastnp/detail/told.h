// Wrong uses of the templates of the API: each is told in one line, at the call that is wrong, instead of in errors of what is behind it.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "fastnp/array.h"
#include "fastnp/detail/callable.h"
#include "fastnp/detail/walk.h"

namespace fastnp::detail {

/// What a wrong use gives, so that nothing else is told of what is done with it.
struct Refused {
    template <class... A>
    array operator()(const A&...) const {
        return {};
    }
};

template <class T>
inline constexpr bool is_pair = false;
template <class A, class B>
inline constexpr bool is_pair<std::pair<A, B>> = true;

template <class T>
constexpr bool can_walk_result() {
    if constexpr (std::is_void_v<T>) return true;
    else return can_walk<T>();
}

/// Whether F can be compiled: a function of arrays and what goes with them.
template <class F>
constexpr bool check_function() {
    constexpr bool is_member = std::is_member_pointer_v<F>, is_called = HasSignature<F> || has_call<F>();
    static_assert(!is_member, "fastnp: a member function is compiled with its object, compile(&Model::step, model); elsewhere a lambda calls it");
    static_assert(is_member || is_called, "fastnp: what is compiled or transformed is a function, a lambda, or an object with an operator()");
    static_assert(
        is_member || !is_called || HasSignature<F>,
        "fastnp: the function's argument types must be known: write them, as in [](array x, double y) { ... } (auto stands for an array; templates of "
        "other types, overloaded operator() and auto... have no one signature)");
    if constexpr (is_member || !HasSignature<F>) {
        return false;
    } else {
        using Types = Callable<F>;
        constexpr bool takes = can_walk<typename Types::Arguments>(), gives = can_walk_result<typename Types::Result>();
        constexpr bool applicable = applies<F&, typename Types::Arguments>;
        static_assert(takes, "fastnp: a parameter of the function is of another type than " FASTNP_WALKED_TYPES);
        static_assert(gives, "fastnp: the function gives something of another type than " FASTNP_WALKED_TYPES);
        static_assert(!takes || applicable, "fastnp: a parameter of the function is an && reference: take it by value, or by const &");
        return takes && gives && applicable;
    }
}

/// Whether values make the arguments of a call; says what is wrong, by the first thing.
template <class Arguments, bool is_generic, class... A>
constexpr bool check_call() {
    constexpr std::size_t wanted = std::tuple_size_v<Arguments>;
    static_assert(sizeof...(A) >= wanted, "fastnp: a function is called with fewer arguments than it takes");
    static_assert(sizeof...(A) <= wanted, "fastnp: a function is called with more arguments than it takes");
    if constexpr (sizeof...(A) != wanted) {
        return false;
    } else {
        constexpr bool fits = []<std::size_t... I>(std::index_sequence<I...>) {
            return (std::is_constructible_v<std::tuple_element_t<I, Arguments>, A> && ...);
        }(std::make_index_sequence<wanted>());
        constexpr bool are_arrays = !is_generic || (std::is_convertible_v<A, array> && ...);
        static_assert(fits, "fastnp: an argument is of another type than the function takes");
        static_assert(!fits || are_arrays,
                      "fastnp: a parameter `auto` of a function stands for an array: write the type of one that takes something else");
        return fits && are_arrays;
    }
}

/// Whether F can be transformed: it is called any number of times, and gives something.
template <class F>
constexpr bool check_transformed() {
    if constexpr (!check_function<F>()) {
        return false;
    } else {
        constexpr bool gives = !std::is_void_v<typename Callable<F>::Result>;
        constexpr bool copies = std::is_copy_constructible_v<F>, stays = applies<const F&, typename Callable<F>::Arguments>;
        static_assert(gives, "fastnp: a function that is transformed gives something; this one gives nothing");
        static_assert(copies, "fastnp: a function that is transformed can be copied; this one holds something that can't");
        static_assert(
            !copies || stays,
            "fastnp: a function that is transformed does not change what it holds; this one is a mutable lambda, or its operator() is not const");
        return gives && copies && stays;
    }
}

/// Whether F has a derivative with respect to the arguments with numbers I.
template <class F, std::size_t... I>
constexpr bool check_differentiated() {
    if constexpr (!check_transformed<F>()) {
        return false;
    } else if constexpr (sizeof...(I) == 0) {
        return check_differentiated<F, 0>();
    } else {
        using Arguments = typename Callable<F>::Arguments;
        using Result = typename Callable<F>::Result;
        constexpr bool are_there = ((I < std::tuple_size_v<Arguments>) && ...);
        static_assert(are_there, "fastnp: a derivative with respect to an argument that the function does not have");
        constexpr bool is_value = [] {
            if constexpr (is_pair<Result>) return std::is_same_v<typename Result::first_type, array>;
            else return std::is_same_v<Result, array>;
        }();
        static_assert(is_value, "fastnp: a function that has a gradient gives an array (of one element), or a pair of one and what is handed through");
        constexpr bool have_arrays = [] {
            if constexpr (are_there) return ((leaf_count<std::tuple_element_t<I, Arguments>>() != 0) && ...);
            else return true;
        }();
        static_assert(have_arrays, "fastnp: a derivative with respect to an argument that has no arrays; a number is to be an array: [](array x) { ... }");
        return are_there && is_value && have_arrays;
    }
}

/// Whether F is a function of one array that gives one.
template <class F>
constexpr bool check_of_one_array() {
    constexpr bool is_one = std::is_invocable_r_v<array, const F&, array&> && std::is_copy_constructible_v<F>;
    static_assert(is_one, "fastnp: jacfwd, jacrev and hessian take a function of one array that gives an array, and can be copied");
    return is_one;
}

/// Whether two tuples are F's arguments and their changes.
template <class F, class Primals, class Tangents>
constexpr bool check_tangents() {
    constexpr bool are_tuples = is_tuple<Primals> && is_tuple<Tangents>;
    static_assert(are_tuples, "fastnp: jvp takes the arguments as a tuple, and so their tangents: jvp(f, std::tuple(x), std::tuple(dx))");
    if constexpr (!are_tuples) {
        return false;
    } else {
        constexpr bool walks = can_walk<Primals>() && can_walk<Tangents>() && applies<F&, Primals>;
        static_assert(walks, "fastnp: the tuple of jvp's arguments is not what the function takes");
        if constexpr (!walks) {
            return false;
        } else {
            constexpr int primals = leaf_count<Primals>(), tangents = leaf_count<Tangents>();
            constexpr bool match = primals == some_leaves || tangents == some_leaves || primals == tangents;
            static_assert(match, "fastnp: jvp takes a tangent for each array among the arguments");
            return match;
        }
    }
}

/// Whether forward and backward are the derivative of F in reverse mode.
template <class F, class Forward, class Backward>
constexpr bool check_reverse() {
    if constexpr (!check_transformed<F>()) {
        return false;
    } else {
        using Arguments = typename Callable<F>::Arguments;
        using Result = typename Callable<F>::Result;
        constexpr bool goes = [] {
            if constexpr (applies<const Forward&, Arguments>) return is_pair<Applied<const Forward&, Arguments>>;
            else return false;
        }();
        static_assert(
            goes, "fastnp: custom_vjp's second function takes the function's arguments, and gives a pair of its result and what the third one is given");
        constexpr bool returns = [] {
            if constexpr (goes) return std::is_invocable_v<const Backward&, typename Applied<const Forward&, Arguments>::second_type, Result&>;
            else return true;
        }();
        static_assert(returns, "fastnp: custom_vjp's third function takes what the second one gives besides the result, and a cotangent of the result");
        constexpr bool gives = [] {
            if constexpr (!goes || !returns) {
                return true;
            } else {
                using Given =
                    std::remove_cvref_t<std::invoke_result_t<const Backward&, typename Applied<const Forward&, Arguments>::second_type, Result&>>;
                if constexpr (std::is_void_v<Given>) return false;
                else
                    return can_walk<Given>() && (leaf_count<Given>() == some_leaves || leaf_count<Arguments>() == some_leaves ||
                                                 leaf_count<Given>() == leaf_count<Arguments>());
            }
        }();
        static_assert(gives, "fastnp: custom_vjp's third function gives a cotangent for each array among the arguments: of several as a tuple");
        return goes && returns && gives;
    }
}

/// Whether the rule is the derivative of F in both modes.
template <class F, class Rule>
constexpr bool check_rule() {
    if constexpr (!check_transformed<F>()) {
        return false;
    } else {
        using Arguments = typename Callable<F>::Arguments;
        constexpr bool is_one = [] {
            if constexpr (std::is_invocable_v<const Rule&, Arguments&, Arguments&>)
                return is_pair<std::remove_cvref_t<std::invoke_result_t<const Rule&, Arguments&, Arguments&>>>;
            else return false;
        }();
        static_assert(
            is_one, "fastnp: custom_jvp's rule takes a tuple of the arguments and one of their tangents, and gives a pair of the result and its tangent");
        return is_one;
    }
}

/// Whether a loop has these for its states.
template <class States>
constexpr bool check_states() {
    constexpr bool is_there = std::tuple_size_v<States> > 0;
    static_assert(is_there, "fastnp: a loop takes a state to begin with, behind its body");
    constexpr bool walks = can_walk<States>() && (!is_there || leaf_count<States>() != 0);
    static_assert(walks, "fastnp: the state of a loop is of other types than arrays, numbers, and tuples, vectors and structs of arrays");
    return is_there && walks;
}

/// Whether the body of a loop over these states may give this. Of a single state, it is that state.
template <class Next, class States>
constexpr bool check_next() {
    constexpr bool is_there = !std::is_void_v<Next>;
    static_assert(is_there, "fastnp: the body of a loop gives nothing; it is to return the next state");
    if constexpr (!is_there) {
        return false;
    } else {
        constexpr bool walks = can_walk<Next>();
        static_assert(walks, "fastnp: the body of a loop gives something of another type than arrays, and tuples, vectors and structs of arrays");
        constexpr int wanted = leaf_count<States>(), given = walks ? leaf_count<Next>() : some_leaves;
        constexpr bool matches = wanted == some_leaves || given == some_leaves || wanted == given;
        static_assert(matches,
                      "fastnp: the body of a loop gives another number of arrays than the state has (of several states a tuple; of a number an array)");
        return walks && matches;
    }
}

/// Whether a body takes these states, alone or behind the number of the turn, and gives the next ones.
template <class Body, class States>
constexpr bool check_loop_body();
template <class Body, class... State>
constexpr bool takes_turn(const std::tuple<State...>*) {
    return std::is_invocable_v<Body&, const array&, State&...>;
}
template <class Body, class States>
constexpr bool check_loop_body() {
    constexpr bool with_turn = takes_turn<Body>(static_cast<const States*>(nullptr));
    constexpr bool takes = with_turn || applies<Body&, States>;
    static_assert(takes, "fastnp: the body of a loop takes the states, or the number of the turn (an array) and the states");
    if constexpr (!takes) {
        return false;
    } else if constexpr (with_turn) {
        return check_next<Applied<Body&, decltype(std::tuple_cat(std::declval<std::tuple<const array>>(), std::declval<States>()))>, States>();
    } else {
        return check_next<Applied<Body&, States>, States>();
    }
}

/// Whether condition and body are those of a while_loop() over these states.
template <class Condition, class Body, class States>
constexpr bool check_while() {
    constexpr bool takes = applies<Condition&, States>;
    static_assert(takes, "fastnp: the condition of a while_loop takes the states");
    constexpr bool holds = [] {
        if constexpr (takes) return std::is_constructible_v<array, Applied<Condition&, States>>;
        else return true;
    }();
    static_assert(holds, "fastnp: the condition of a while_loop gives an array of no axes, or a bool");
    constexpr bool turns = applies<Body&, States>;
    static_assert(turns, "fastnp: the body of a while_loop takes the states");
    if constexpr (!takes || !holds || !turns) return false;
    else return check_next<Applied<Body&, States>, States>();
}

/// Whether a body is that of a scan() over this state and these parts.
template <class Body, class State, class Parts>
constexpr bool check_scan() {
    constexpr bool walks = can_walk<Parts>() && leaf_count<Parts>() != 0;
    static_assert(walks, "fastnp: the parts of a scan are of other types than arrays, and tuples, vectors and structs of arrays");
    constexpr bool takes = std::is_invocable_v<Body&, State&, Parts&>;
    static_assert(takes, "fastnp: the body of a scan takes the state, and the parts of a turn");
    if constexpr (!walks || !takes) {
        return false;
    } else {
        using Given = std::remove_cvref_t<std::invoke_result_t<Body&, State&, Parts&>>;
        constexpr bool gives = is_pair<Given>;
        static_assert(gives, "fastnp: the body of a scan gives a pair of the next state and what is collected");
        if constexpr (!gives) {
            return false;
        } else {
            constexpr bool collects = can_walk<typename Given::second_type>();
            static_assert(collects, "fastnp: what a scan collects is of another type than " FASTNP_WALKED_TYPES);
            return collects && check_next<typename Given::first_type, std::tuple<State>>();
        }
    }
}

/// Whether these are the two functions of a cond().
template <class Then, class Otherwise, class... A>
constexpr bool check_branches() {
    constexpr bool take = std::is_invocable_v<Then&, const A&...> && std::is_invocable_v<Otherwise&, const A&...>;
    static_assert(take, "fastnp: both functions of a cond take the arguments behind them");
    if constexpr (!take) {
        return false;
    } else {
        using Result = std::remove_cvref_t<std::invoke_result_t<Then&, const A&...>>;
        constexpr bool same = std::is_same_v<Result, std::remove_cvref_t<std::invoke_result_t<Otherwise&, const A&...>>>;
        constexpr bool gives = !std::is_void_v<Result> && can_walk_result<Result>();
        static_assert(same, "fastnp: both functions of a cond give the same type");
        static_assert(!same || gives, "fastnp: the functions of a cond give something of another type than " FASTNP_WALKED_TYPES);
        return same && gives;
    }
}

/// Whether a function is called for its effect with these.
template <class F, class... A>
constexpr bool check_effect() {
    constexpr bool walks = can_walk<std::tuple<std::decay_t<A>...>>();
    static_assert(walks, "fastnp: an argument of an effect is of another type than " FASTNP_WALKED_TYPES);
    constexpr bool takes = std::is_invocable_v<std::decay_t<F>&, std::decay_t<A>&...> && std::is_invocable_v<F, const A&...>;
    static_assert(takes, "fastnp: the function of an effect takes the arguments behind it");
    return walks && takes;
}

}  // namespace fastnp::detail
