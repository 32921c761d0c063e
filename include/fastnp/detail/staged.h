// The templates of fastnp/transform.h that come in two stages: what is done now, and what may be done any number of times.
#pragma once

#include "fastnp/detail/transforms.h"

namespace fastnp {

/// \addtogroup transforms
/// @{

/// How vjp() and linearize() make their second stage.
struct StageOptions {
    /// Bytes that may be kept for it outside of compiled functions; as little as can be is computed again for that. Nothing: as few bytes as can be, where
    /// sums, products and what picks elements are not computed again. ValueError for one that is too small.
    std::optional<std::int64_t> memory_budget{};
    /// For errors: where these options were made.
    std::source_location where = std::source_location::current();
};

/// @}

namespace detail {

/// f(arguments...) and what comes after it, which `second` sets up from the marks and the result.
template <class Result, class F, class Arguments, class Second>
std::pair<Result, Later> in_two(const F& f, Arguments arguments, const StageOptions& options, Second second) {
    std::optional<Result> result;
    Later later;
    const std::vector<array> computed = recorded_in_two(
        [&](Stage& stage) {
            const auto marked = std::make_shared<Marked>(arguments);
            result.emplace(std::apply(f, arguments));
            marked->write_back();
            std::vector<array> outputs = leaves_of(*result);
            second(stage, marked, outputs);
            return outputs;
        },
        later, nullptr, options.memory_budget);
    put_leaves(*result, computed);
    return {std::move(*result), std::move(later)};
}

template <class F, class... A>
auto vjp_at(const StageOptions& options, F f, A... values) {
    using Types = Callable<F>;
    using Result = typename Types::Result;
    using Arguments = typename Types::Arguments;
    Arguments arguments(std::move(values)...);
    const auto second = [](Stage& stage, const auto& marked, const std::vector<array>& outputs) {
        stage.inputs = outputs;
        stage.function = [marked, outputs](std::span<const array> cotangents) { return pull_back(marked->marks(), outputs, cotangents); };
    };
    auto [result, later] = within("vjp", options.where, [&] { return in_two<Result>(f, arguments, options, second); });
    const std::function<Arguments(Result)> pull = [arguments, kinds = kinds_of(leaves_of(result)), later = std::move(later),
                                                   where = options.where](Result cotangent) {
        Arguments found = arguments;
        within("vjp", where, [&] { put_leaves(found, later(as_changes("vjp", "cotangent", leaves_of(cotangent), kinds))); });
        return found;
    };
    return std::pair(std::move(result), pull);
}

template <class F, class... A>
auto linearize_at(const StageOptions& options, F f, A... values) {
    using Types = Callable<F>;
    using Result = typename Types::Result;
    using Arguments = typename Types::Arguments;
    const auto second = [](Stage& stage, const auto& marked, const auto& outputs) {
        stage.inputs = marked->marks();
        stage.function = [marked, outputs](std::span<const array> tangents) { return push_forward(marked->marks(), outputs, tangents); };
    };
    Arguments arguments(std::move(values)...);
    std::vector<Kind> kinds = kinds_of(leaves_of(arguments));
    auto [result, later] = within("linearize", options.where, [&] { return in_two<Result>(f, std::move(arguments), options, second); });
    auto push = FunctionOf<Result, Arguments>::make(
        [like = result, kinds = std::move(kinds), later = std::move(later), where = options.where](Arguments tangents) {
            Result found = like;
            within("linearize", where, [&] { put_leaves(found, later(as_changes("linearize", "tangent", leaves_of(tangents), kinds))); });
            return found;
        });
    return std::pair(std::move(result), push);
}

template <class F, class... A>
constexpr bool check_staged() {
    if constexpr (!check_transformed<F>()) return false;
    else return check_call<typename Callable<F>::Arguments, Callable<F>::is_generic, A...>();
}

}  // namespace detail

/// \addtogroup transforms
/// @{

/// f(arguments...), and a function from a cotangent of the result's type to those of the arguments, as a tuple: as jax.vjp. The function may be called any
/// number of times; outside of compiled functions it works on values that were kept, as few bytes as can be.
///
///     const auto [y, pull] = vjp([](const array& x) { return exp(x); }, ones({3}));
///     const auto [dx] = pull(ones({3}));
///
/// \returns a pair of the result and a std::function.
/// \throws ValueError for a memory budget that is too small; of the function, for a cotangent of another shape than the result, TypeError for one of a
/// dtype that is not cast to the result's.
template <class F, class... A>
auto vjp(const StageOptions& options, F f, A... values) {
    if constexpr (detail::check_staged<F, A...>()) return detail::vjp_at(options, std::move(f), std::move(values)...);
    else return detail::Refused();
}
/// The same with the default options, of a function of one argument.
template <class F, class A>
    requires(!std::is_same_v<F, StageOptions>)
auto vjp(F f, A value, const std::source_location& where = std::source_location::current()) {
    return vjp(StageOptions{.where = where}, std::move(f), std::move(value));
}
/// ... of two.
template <class F, class A, class B>
    requires(!std::is_same_v<F, StageOptions>)
auto vjp(F f, A first, B second, const std::source_location& where = std::source_location::current()) {
    return vjp(StageOptions{.where = where}, std::move(f), std::move(first), std::move(second));
}
/// ... of three.
template <class F, class A, class B, class C>
    requires(!std::is_same_v<F, StageOptions>)
auto vjp(F f, A first, B second, C third, const std::source_location& where = std::source_location::current()) {
    return vjp(StageOptions{.where = where}, std::move(f), std::move(first), std::move(second), std::move(third));
}
/// ... of more, whose errors do not tell where: StageOptions() before the function does.
template <class F, class... A>
    requires(!std::is_same_v<F, StageOptions> && (sizeof...(A) == 0 || sizeof...(A) > 3))
auto vjp(F f, A... values) {
    return vjp(StageOptions(), std::move(f), std::move(values)...);
}

/// f(arguments...), and a function from tangents of the arguments to that of the result: as jax.linearize.
///
///     const auto [y, push] = linearize([](const array& x) { return exp(x); }, ones({3}));
///     const array dy = push(ones({3}));
///
/// \returns a pair of the result and a std::function.
/// \throws ValueError and TypeError as vjp().
template <class F, class... A>
auto linearize(const StageOptions& options, F f, A... values) {
    if constexpr (detail::check_staged<F, A...>()) return detail::linearize_at(options, std::move(f), std::move(values)...);
    else return detail::Refused();
}
/// The same with the default options, of a function of one argument.
template <class F, class A>
    requires(!std::is_same_v<F, StageOptions>)
auto linearize(F f, A value, const std::source_location& where = std::source_location::current()) {
    return linearize(StageOptions{.where = where}, std::move(f), std::move(value));
}
/// ... of two.
template <class F, class A, class B>
    requires(!std::is_same_v<F, StageOptions>)
auto linearize(F f, A first, B second, const std::source_location& where = std::source_location::current()) {
    return linearize(StageOptions{.where = where}, std::move(f), std::move(first), std::move(second));
}
/// ... of three.
template <class F, class A, class B, class C>
    requires(!std::is_same_v<F, StageOptions>)
auto linearize(F f, A first, B second, C third, const std::source_location& where = std::source_location::current()) {
    return linearize(StageOptions{.where = where}, std::move(f), std::move(first), std::move(second), std::move(third));
}
/// ... of more, whose errors do not tell where: StageOptions() before the function does.
template <class F, class... A>
    requires(!std::is_same_v<F, StageOptions> && (sizeof...(A) == 0 || sizeof...(A) > 3))
auto linearize(F f, A... values) {
    return linearize(StageOptions(), std::move(f), std::move(values)...);
}

/// @}

}  // namespace fastnp
