// The templates of fastnp/transform.h for functions with derivatives of their own, and for Jacobians.
#pragma once

#include "fastnp/detail/transforms.h"

namespace fastnp {

namespace detail {

template <class F, class Forward, class Backward>
auto custom_vjp_at(const std::source_location& where, F f, Forward forward, Backward backward) {
    using Types = Callable<F>;
    using Result = typename Types::Result;
    using Arguments = typename Types::Arguments;
    return FunctionOf<Result, Arguments>::make([f, forward, backward, where](Arguments arguments) -> Result {
        Result result = within("custom_vjp", where, [&] { return std::apply(f, arguments); });
        if (!is_recording()) return result;
        CustomDerivative derivative{"a function", nullptr, nullptr};
        derivative.reverse = [arguments, result, forward, backward, where](std::span<const array> own, std::span<const array>,
                                                                           std::span<const array> cotangents) {
            Arguments given = arguments;
            put_leaves(given, own);
            Result cotangent = result;
            put_leaves(cotangent, cotangents);
            auto found = within("custom_vjp", where, [&] { return backward(std::apply(forward, given).second, cotangent); });
            const std::vector<array> leaves = leaves_of(found);
            return std::vector<std::optional<array>>(leaves.begin(), leaves.end());
        };
        put_leaves(result, with_derivative(leaves_of(arguments), leaves_of(result), std::move(derivative)));
        return result;
    });
}

template <class F, class Rule>
auto custom_jvp_at(const std::source_location& where, F f, Rule rule) {
    using Types = Callable<F>;
    using Result = typename Types::Result;
    using Arguments = typename Types::Arguments;
    return FunctionOf<Result, Arguments>::make([f, rule, where](Arguments arguments) -> Result {
        Result result = within("custom_jvp", where, [&] { return std::apply(f, arguments); });
        if (!is_recording()) return result;
        CustomDerivative derivative{"a function", nullptr, nullptr};
        derivative.forward = [arguments, rule, where](std::span<const array> own, std::span<const array>, std::span<const array> changes) {
            Arguments primals = arguments, tangents = arguments;
            put_leaves(primals, own);
            put_leaves(tangents, changes);
            auto found = within("custom_jvp", where, [&] { return rule(primals, tangents); });
            return leaves_of(found.second);
        };
        put_leaves(result, with_derivative(leaves_of(arguments), leaves_of(result), std::move(derivative)));
        return result;
    });
}

template <class F>
auto checkpoint_at(const std::source_location& where, F f) {
    using Types = Callable<F>;
    using Result = typename Types::Result;
    using Arguments = typename Types::Arguments;
    return FunctionOf<Result, Arguments>::make([f, where](Arguments arguments) -> Result {
        Result result = within("checkpoint", where, [&] { return std::apply(f, arguments); });
        if (!is_recording()) return result;
        const auto again = [f, arguments](std::span<const array> own, auto&& walk) {
            Arguments given = arguments;
            put_leaves(given, own);
            const Marked marked(given);
            Result now = std::apply(f, given);
            return walk(marked.marks(), leaves_of(now));
        };
        CustomDerivative derivative{"a function", nullptr, nullptr};
        using Arrays = std::span<const array>;
        derivative.reverse = [again](Arrays own, Arrays, Arrays cotangents) {
            std::vector<array> copies;
            for (const array& each : own) copies.push_back(apart(each));
            const std::vector<array> found = again(copies, [&](const auto& marks, const auto& outputs) { return pull_back(marks, outputs, cotangents); });
            return std::vector<std::optional<array>>(found.begin(), found.end());
        };
        derivative.forward = [again](Arrays own, Arrays, Arrays tangents) {
            return again(own, [&](const auto& marks, const auto& outputs) { return push_forward(marks, outputs, tangents); });
        };
        put_leaves(result, with_derivative(leaves_of(arguments), leaves_of(result), std::move(derivative)));
        return result;
    });
}

}  // namespace detail

/// \addtogroup transforms
/// @{

/// f with a reverse-mode derivative of its own, as jax.custom_vjp: forward(arguments...) gives a pair of f's result and anything (of arrays and plain
/// values) for backward(that, cotangent of the result), which gives the arguments' cotangents as a tuple. Forward mode is a TypeError.
///
///     const auto clipped = custom_vjp([](array x) { return x * 1; }, [](array x) { return std::pair(x * 1, x); },
///                                     [](array kept, array g) { return std::tuple(clip(g, -1, 1)); });
///
/// \returns a std::function of f's arguments.
template <class F, class Forward, class Backward>
auto custom_vjp(F f, Forward forward, Backward backward, const std::source_location& where = std::source_location::current()) {
    if constexpr (detail::check_reverse<F, Forward, Backward>())
        return detail::custom_vjp_at(where, std::move(f), std::move(forward), std::move(backward));
    else return detail::Refused();
}

/// f with a derivative of its own for both modes, as jax.custom_jvp: rule(primals, tangents), both tuples of f's arguments, gives a pair of f's result and
/// its tangent, which is linear in the tangents.
///
///     const auto squared = custom_jvp([](array x) { return x * x; }, [](const std::tuple<array>& at, const std::tuple<array>& along) {
///         const auto& [x] = at;
///         const auto& [dx] = along;
///         return std::pair(x * x, 2 * x * dx);
///     });
///
/// \returns a std::function of f's arguments.
template <class F, class Rule>
auto custom_jvp(F f, Rule rule, const std::source_location& where = std::source_location::current()) {
    if constexpr (detail::check_rule<F, Rule>()) return detail::custom_jvp_at(where, std::move(f), std::move(rule));
    else return detail::Refused();
}

/// f, whose values are computed again for its derivative in reverse mode instead of being kept (jax.checkpoint): only its arguments are.
///
/// \returns a std::function of f's arguments.
template <class F>
auto checkpoint(F f, const std::source_location& where = std::source_location::current()) {
    if constexpr (detail::check_transformed<F>()) return detail::checkpoint_at(where, std::move(f));
    else return detail::Refused();
}

/// @}

namespace detail {

template <class F>
std::function<array(array)> jacfwd_at(const std::source_location& where, F f) {
    return [f = std::move(f), where](array x) {
        const auto body = [&] {
            const Marked marked(x);
            const array y = f(x);
            marked.write_back();
            return jacobian_columns(marked.marks()[0], y);
        };
        return within("jacfwd", where, [&] { return recorded_as<array>(body); });
    };
}

template <class F>
std::function<array(array)> jacrev_at(const std::source_location& where, F f) {
    return [f = std::move(f), where](array x) {
        const auto body = [&] {
            const Marked marked(x);
            const array y = f(x);
            marked.write_back();
            return jacobian_rows(marked.marks()[0], y);
        };
        return within("jacrev", where, [&] { return recorded_as<array>(body); });
    };
}

}  // namespace detail

/// \addtogroup transforms
/// @{

/// The derivatives of f(x)'s elements with respect to x's: f(x).shape + x.shape. By forward mode, a column for each element of x, all at once.
/// (jax.jacfwd)
///
///     const array slopes = jacfwd([](const array& x) { return x * x; })(arange(3.0));  // shape (3, 3)
///
/// \throws TypeError for x of a dtype that is not floating or complex.
template <class F>
std::function<array(array)> jacfwd(F f, const std::source_location& where = std::source_location::current()) {
    if constexpr (detail::check_of_one_array<F>()) return detail::jacfwd_at(where, std::move(f));
    else return {};
}
/// The same by reverse mode, a row for each element of f(x). (jax.jacrev)
template <class F>
std::function<array(array)> jacrev(F f, const std::source_location& where = std::source_location::current()) {
    if constexpr (detail::check_of_one_array<F>()) return detail::jacrev_at(where, std::move(f));
    else return {};
}
/// The second derivatives of f(x), one element: x.shape + x.shape. (jax.hessian)
///
/// \throws TypeError for x of a dtype that is not floating or complex.
template <class F>
std::function<array(array)> hessian(F f, const std::source_location& where = std::source_location::current()) {
    if constexpr (detail::check_of_one_array<F>()) return detail::jacfwd_at(where, detail::jacrev_at(where, std::move(f)));
    else return {};
}

/// @}

}  // namespace fastnp
