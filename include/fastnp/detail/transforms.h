// The templates of fastnp/transform.h: what they take apart and put together around the functions of detail/transform.h.
#pragma once

#include <source_location>

#include "fastnp/compile.h"
#include "fastnp/detail/transform.h"
#include "fastnp/error.h"
#include "fastnp/ops.h"
#include "fastnp/transform.h"

namespace fastnp {

namespace detail {

/// The arrays of a structure, and others in their place.
template <class T>
void take_leaves(T& value, std::vector<array>& leaves) {
    auto take = [&](const array& leaf) { leaves.push_back(leaf); };
    walk(value, take, ignore, ignore);
}
template <class T>
std::vector<array> leaves_of(T& value) {
    std::vector<array> leaves;
    take_leaves(value, leaves);
    return leaves;
}
template <class T>
void put_leaves(T& value, std::span<const array> leaves) {
    auto put = [&](array& leaf) {
        if (leaves.empty()) throw ValueError("a function gave fewer arrays than its place in a transform takes");
        leaf = leaves.front();
        leaves = leaves.subspan(1);
    };
    walk(value, put, ignore, ignore);
}

/// Does `body`; fastnp's errors tell in which transform they were, and where that was made.
template <class F>
auto within(const char* transform, const std::source_location& where, F&& body) {
    try {
        return body();
    } catch (const Error& error) {
        throw_within(error, std::string(transform) + " at " + where.file_name() + ":" + std::to_string(where.line()));
        throw;
    }
}

/// Runs `body`, which fills a structure, as `recorded` does; gives the structure around what was computed.
template <class T, class F>
T recorded_as(F&& body) {
    std::optional<T> made;
    const std::vector<array> arrays = recorded([&] {
        made.emplace(body());
        return leaves_of(*made);
    });
    put_leaves(*made, arrays);
    return std::move(*made);
}

/// Inputs of a transform: marked, and what the function gets in their place.
class Marked {
public:
    template <class T>
    explicit Marked(T& value) : originals_(leaves_of(value)) {
        std::vector<array> inputs;
        for (const array& each : originals_) {
            marks_.push_back(mark(each));
            inputs.push_back(input_of(marks_.back()));
        }
        put_leaves(value, inputs);
        inputs_ = std::move(inputs);
    }
    void write_back() const {
        for (std::size_t i = 0; i < marks_.size(); ++i) detail::write_back(originals_[i], marks_[i], inputs_[i]);
    }
    const std::vector<array>& marks() const { return marks_; }

private:
    std::vector<array> originals_, marks_, inputs_;
};

FASTNP_API void check_scalar(const array& value);

template <class T>
inline constexpr bool is_pair = false;
template <class A, class B>
inline constexpr bool is_pair<std::pair<A, B>> = true;

/// The arguments with these numbers: one as it is, several as a tuple.
template <class Arguments, std::size_t... I>
struct Chosen {
    static_assert(((I < std::tuple_size_v<Arguments>) && ...), "fastnp: a derivative with respect to an argument that the function does not have");
    using Type = std::tuple<std::tuple_element_t<I, Arguments>...>;
    static Type of(const Arguments& arguments) { return Type(std::get<I>(arguments)...); }
    static void put(Arguments& arguments, const Type& chosen) {
        std::size_t at = 0;
        (void)at;
        put_all(arguments, chosen, std::index_sequence_for<std::tuple_element_t<I, Arguments>...>());
    }
    template <std::size_t... J>
    static void put_all(Arguments& arguments, const Type& chosen, std::index_sequence<J...>) {
        ((std::get<I>(arguments) = std::get<J>(chosen)), ...);
    }
};
template <class Arguments>
struct Chosen<Arguments> : Chosen<Arguments, 0> {};

template <class Tuple>
struct OneOrTuple {
    using Type = Tuple;
    static Type of(Tuple tuple) { return tuple; }
};
template <class T>
struct OneOrTuple<std::tuple<T>> {
    using Type = T;
    static Type of(std::tuple<T> tuple) { return std::get<0>(std::move(tuple)); }
};

/// std::function<R(A...)> from a tuple of A.
template <class R, class Arguments>
struct FunctionOf;
template <class R, class... A>
struct FunctionOf<R, std::tuple<A...>> {
    using Type = std::function<R(A...)>;
    template <class F>
    static Type make(F body) {
        return [body = std::move(body)](A... values) { return body(std::tuple<A...>(std::move(values)...)); };
    }
};

/// The array that is differentiated: the result, or the first of a pair.
template <class Result>
array value_part(const Result& result) {
    if constexpr (is_pair<Result>) return result.first;
    else return result;
}

}  // namespace detail

/// f's result and its derivative with respect to the arguments with numbers I (the first by default): as jax.value_and_grad. The result is one real
/// element; of a pair, the first part is, and the second is handed through (has_aux). The derivative has the type of the argument (plain values in it are
/// as they are); of several, a tuple. ValueError for a result that is no single element, TypeError for dtypes that are not floating or complex.
template <std::size_t... I, class F>
auto value_and_grad(F f, const std::source_location& where = std::source_location::current()) {
    using Types = detail::Callable<std::remove_cvref_t<F>>;
    using Result = typename Types::Result;
    using Arguments = typename Types::Arguments;
    using Chosen = detail::Chosen<Arguments, I...>;
    using One = detail::OneOrTuple<typename Chosen::Type>;
    using Both = std::pair<Result, typename One::Type>;
    return detail::FunctionOf<Both, Arguments>::make([f = std::move(f), where](Arguments arguments) -> Both {
        const auto body = [&]() -> Both {
            auto chosen = Chosen::of(arguments);
            const detail::Marked marked(chosen);
            Chosen::put(arguments, chosen);
            Result result = std::apply(f, arguments);
            marked.write_back();
            const array value = detail::value_part(result);
            detail::check_scalar(value);
            const array one = ones_like(value);
            detail::put_leaves(chosen, detail::pull_back(marked.marks(), {&value, 1}, {&one, 1}));
            return Both(std::move(result), One::of(std::move(chosen)));
        };
        return detail::within("grad", where, [&] { return detail::recorded_as<Both>(body); });
    });
}

/// The derivative alone, as jax.grad; of a function that gives a pair, a pair of it and the second part.
template <std::size_t... I, class F>
auto grad(F f, const std::source_location& where = std::source_location::current()) {
    using Types = detail::Callable<std::remove_cvref_t<F>>;
    using Result = typename Types::Result;
    auto both = value_and_grad<I...>(std::move(f), where);
    using Derivative = typename detail::Callable<decltype(both)>::Result::second_type;
    if constexpr (detail::is_pair<Result>) {
        using Given = std::pair<Derivative, typename Result::second_type>;
        return detail::FunctionOf<Given, typename Types::Arguments>::make([both](typename Types::Arguments arguments) -> Given {
            auto found = std::apply(both, std::move(arguments));
            return {std::move(found.second), std::move(found.first.second)};
        });
    } else {
        return detail::FunctionOf<Derivative, typename Types::Arguments>::make(
            [both](typename Types::Arguments arguments) -> Derivative { return std::apply(both, std::move(arguments)).second; });
    }
}

/// f(primals...) and how it changes with the arguments, along tangents of their types: as jax.jvp. ValueError where a tangent's shape is not its primal's.
template <class F, class... A>
auto jvp(F f, std::tuple<A...> primals, std::tuple<A...> tangents) {
    using Result = typename detail::Callable<std::remove_cvref_t<F>>::Result;
    using Both = std::pair<Result, Result>;
    return detail::recorded_as<Both>([&]() -> Both {
        const std::vector<array> changes = detail::leaves_of(tangents);
        const detail::Marked marked(primals);
        Result result = std::apply(f, primals);
        marked.write_back();
        Both both(result, result);
        detail::put_leaves(both.second, detail::push_forward(marked.marks(), detail::leaves_of(result), changes));
        return both;
    });
}

struct VmapOptions {
    /// Of each argument: the axis that is mapped over, nothing for one that is the same for all parts. Empty: 0 of each.
    std::vector<std::optional<int>> in_axes = {};
    /// Where the parts are in the results.
    int out_axes = 0;
    /// What psum() and its kin call the axis.
    std::string axis_name = {};
};

namespace detail {

/// ValueError unless there is an axis for each argument, or none at all.
FASTNP_API void check_axes(std::size_t axes, std::size_t arguments);

/// What batch() needs, gathered over arguments. ValueError for axes of different sizes, and where nothing is mapped.
class FASTNP_API Examples {
public:
    /// What the function gets for x.
    array add(const array& x, std::optional<int> axis);
    void write_back() const;
    std::vector<array> batch(const std::vector<array>& outputs, int out_axis) const;
    void check() const;
    /// Gives the axis a name, until this ends.
    void set_name(const std::string& name);

private:
    std::vector<array> arrays_, values_, examples_, inputs_;  // values: of the arrays, before the function
    std::vector<int> axes_;
    std::unique_ptr<NamedAxis> named_;
};

}  // namespace detail

/// f for all parts of its arguments along an axis at once: as jax.vmap. ValueError for axes of different sizes; TypeError where f depends on values that
/// differ from part to part in other ways than through arrays.
template <class F>
auto vmap(F f, VmapOptions options = {}, const std::source_location& where = std::source_location::current()) {
    using Types = detail::Callable<std::remove_cvref_t<F>>;
    using Result = typename Types::Result;
    using Arguments = typename Types::Arguments;
    return detail::FunctionOf<Result, Arguments>::make([f = std::move(f), options = std::move(options), where](Arguments arguments) -> Result {
        const auto body = [&]() -> Result {
            detail::Examples examples;
            detail::check_axes(options.in_axes.size(), std::tuple_size_v<Arguments>);
            std::size_t number = 0;
            std::apply(
                [&](auto&... argument) {
                    const auto add = [&](auto& each) {
                        const std::optional<int> axis = options.in_axes.empty() ? 0 : options.in_axes[number];
                        ++number;
                        auto leaf = [&](array& x) { x = examples.add(x, axis); };
                        detail::walk(each, leaf, detail::ignore, detail::ignore);
                    };
                    (add(argument), ...);
                },
                arguments);
            examples.check();
            if (!options.axis_name.empty()) examples.set_name(options.axis_name);
            Result result = std::apply(f, arguments);
            examples.write_back();
            detail::put_leaves(result, examples.batch(detail::leaves_of(result), options.out_axes));
            return result;
        };
        return detail::within("vmap", where, [&] { return detail::recorded_as<Result>(body); });
    });
}

/// How vjp() and linearize() make their second stage.
struct StageOptions {
    /// Bytes that may be kept for it outside of compiled functions; as little as can be is computed again for that. Nothing: as few bytes as can be, where
    /// sums, products and what picks elements are not computed again. ValueError for one that is too small.
    std::optional<std::int64_t> memory_budget{};
};

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

}  // namespace detail

/// f(arguments...), and a function from a cotangent of the result's type to those of the arguments, as a tuple: as jax.vjp. The function may be called any
/// number of times; outside of compiled functions it works on values that were kept, as few bytes as can be.
template <class F, class... A>
auto vjp(const StageOptions& options, F f, A... values) {
    using Types = detail::Callable<std::remove_cvref_t<F>>;
    using Result = typename Types::Result;
    using Arguments = typename Types::Arguments;
    Arguments arguments(std::move(values)...);
    auto [result, later] = detail::in_two<Result>(f, arguments, options, [](detail::Stage& stage, const auto& marked, const std::vector<array>& outputs) {
        stage.inputs = outputs;
        stage.function = [marked, outputs](std::span<const array> cotangents) { return detail::pull_back(marked->marks(), outputs, cotangents); };
    });
    const std::function<Arguments(Result)> pull = [arguments, later = std::move(later)](Result cotangent) {
        Arguments found = arguments;
        detail::put_leaves(found, later(detail::leaves_of(cotangent)));
        return found;
    };
    return std::pair(std::move(result), pull);
}
template <class F, class... A>
    requires(!std::is_same_v<F, StageOptions>)
auto vjp(F f, A... values) {
    return vjp(StageOptions(), std::move(f), std::move(values)...);
}

/// f(arguments...), and a function from tangents of the arguments to that of the result: as jax.linearize.
template <class F, class... A>
auto linearize(const StageOptions& options, F f, A... values) {
    using Types = detail::Callable<std::remove_cvref_t<F>>;
    using Result = typename Types::Result;
    using Arguments = typename Types::Arguments;
    const auto second = [](detail::Stage& stage, const auto& marked, const auto& outputs) {
        stage.inputs = marked->marks();
        stage.function = [marked, outputs](std::span<const array> tangents) { return detail::push_forward(marked->marks(), outputs, tangents); };
    };
    auto [result, later] = detail::in_two<Result>(f, Arguments(std::move(values)...), options, second);
    auto push = detail::FunctionOf<Result, Arguments>::make([like = result, later = std::move(later)](Arguments tangents) {
        Result found = like;
        detail::put_leaves(found, later(detail::leaves_of(tangents)));
        return found;
    });
    return std::pair(std::move(result), push);
}
template <class F, class... A>
    requires(!std::is_same_v<F, StageOptions>)
auto linearize(F f, A... values) {
    return linearize(StageOptions(), std::move(f), std::move(values)...);
}

/// f with a reverse-mode derivative of its own, as jax.custom_vjp: forward(arguments...) gives a pair of f's result and anything (of arrays and plain
/// values) for backward(that, cotangent of the result), which gives the arguments' cotangents as a tuple. Forward mode is a TypeError.
template <class F, class Forward, class Backward>
auto custom_vjp(F f, Forward forward, Backward backward) {
    using Types = detail::Callable<std::remove_cvref_t<F>>;
    using Result = typename Types::Result;
    using Arguments = typename Types::Arguments;
    return detail::FunctionOf<Result, Arguments>::make([f, forward, backward](Arguments arguments) -> Result {
        Result result = std::apply(f, arguments);
        if (!detail::is_recording()) return result;
        detail::CustomDerivative derivative{"a function", nullptr, nullptr};
        derivative.reverse = [arguments, result, forward, backward](std::span<const array> own, std::span<const array>,
                                                                    std::span<const array> cotangents) {
            Arguments given = arguments;
            detail::put_leaves(given, own);
            Result cotangent = result;
            detail::put_leaves(cotangent, cotangents);
            auto found = backward(std::apply(forward, given).second, cotangent);
            const std::vector<array> leaves = detail::leaves_of(found);
            return std::vector<std::optional<array>>(leaves.begin(), leaves.end());
        };
        detail::put_leaves(result, detail::with_derivative(detail::leaves_of(arguments), detail::leaves_of(result), std::move(derivative)));
        return result;
    });
}

/// f with a derivative of its own for both modes, as jax.custom_jvp: rule(primals, tangents), both tuples of f's arguments, gives a pair of f's result and
/// its tangent, which is linear in the tangents.
template <class F, class Rule>
auto custom_jvp(F f, Rule rule) {
    using Types = detail::Callable<std::remove_cvref_t<F>>;
    using Result = typename Types::Result;
    using Arguments = typename Types::Arguments;
    return detail::FunctionOf<Result, Arguments>::make([f, rule](Arguments arguments) -> Result {
        Result result = std::apply(f, arguments);
        if (!detail::is_recording()) return result;
        detail::CustomDerivative derivative{"a function", nullptr, nullptr};
        derivative.forward = [arguments, rule](std::span<const array> own, std::span<const array>, std::span<const array> changes) {
            Arguments primals = arguments, tangents = arguments;
            detail::put_leaves(primals, own);
            detail::put_leaves(tangents, changes);
            auto found = rule(primals, tangents);
            return detail::leaves_of(found.second);
        };
        detail::put_leaves(result, detail::with_derivative(detail::leaves_of(arguments), detail::leaves_of(result), std::move(derivative)));
        return result;
    });
}

/// f, whose values are computed again for its derivative in reverse mode instead of being kept (jax.checkpoint): only its arguments are.
template <class F>
auto checkpoint(F f) {
    using Types = detail::Callable<std::remove_cvref_t<F>>;
    using Result = typename Types::Result;
    using Arguments = typename Types::Arguments;
    return detail::FunctionOf<Result, Arguments>::make([f](Arguments arguments) -> Result {
        Result result = std::apply(f, arguments);
        if (!detail::is_recording()) return result;
        const auto again = [f, arguments](std::span<const array> own, auto&& walk) {
            Arguments given = arguments;
            detail::put_leaves(given, own);
            const detail::Marked marked(given);
            Result now = std::apply(f, given);
            return walk(marked.marks(), detail::leaves_of(now));
        };
        detail::CustomDerivative derivative{"a function", nullptr, nullptr};
        using Arrays = std::span<const array>;
        derivative.reverse = [again](Arrays own, Arrays, Arrays cotangents) {
            std::vector<array> copies;
            for (const array& each : own) copies.push_back(detail::apart(each));
            const std::vector<array> found =
                again(copies, [&](const auto& marks, const auto& outputs) { return detail::pull_back(marks, outputs, cotangents); });
            return std::vector<std::optional<array>>(found.begin(), found.end());
        };
        derivative.forward = [again](Arrays own, Arrays, Arrays tangents) {
            return again(own, [&](const auto& marks, const auto& outputs) { return detail::push_forward(marks, outputs, tangents); });
        };
        detail::put_leaves(result, detail::with_derivative(detail::leaves_of(arguments), detail::leaves_of(result), std::move(derivative)));
        return result;
    });
}

/// The derivatives of f(x)'s elements with respect to x's: f(x).shape + x.shape. By forward mode, a column for each element of x, all at once.
template <class F>
std::function<array(array)> jacfwd(F f, const std::source_location& where = std::source_location::current()) {
    return [f = std::move(f), where](array x) {
        const auto body = [&] {
            const detail::Marked marked(x);
            const array y = f(x);
            marked.write_back();
            return detail::jacobian_columns(marked.marks()[0], y);
        };
        return detail::within("jacfwd", where, [&] { return detail::recorded_as<array>(body); });
    };
}
/// The same by reverse mode, a row for each element of f(x).
template <class F>
std::function<array(array)> jacrev(F f, const std::source_location& where = std::source_location::current()) {
    return [f = std::move(f), where](array x) {
        const auto body = [&] {
            const detail::Marked marked(x);
            const array y = f(x);
            marked.write_back();
            return detail::jacobian_rows(marked.marks()[0], y);
        };
        return detail::within("jacrev", where, [&] { return detail::recorded_as<array>(body); });
    };
}
/// The second derivatives of f(x), one element: x.shape + x.shape.
template <class F>
std::function<array(array)> hessian(F f, const std::source_location& where = std::source_location::current()) {
    return jacfwd(jacrev(std::move(f), where), where);
}

}  // namespace fastnp
