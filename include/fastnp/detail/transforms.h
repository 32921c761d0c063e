// The templates of fastnp/transform.h: what they take apart and put together around the functions of detail/transform.h.
#pragma once

#include <source_location>

#include "fastnp/compile.h"
#include "fastnp/detail/told.h"
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
        throw_within(error, std::string(transform) + " at " + text_of(where));
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

/// The arguments with these numbers: one as it is, several as a tuple.
template <class Arguments, std::size_t... I>
struct Chosen {
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

namespace detail {

template <std::size_t... I, class F>
auto value_and_grad_at(const std::source_location& where, F f) {
    using Types = Callable<F>;
    using Result = typename Types::Result;
    using Arguments = typename Types::Arguments;
    using Chosen = detail::Chosen<Arguments, I...>;
    using One = OneOrTuple<typename Chosen::Type>;
    using Both = std::pair<Result, typename One::Type>;
    return FunctionOf<Both, Arguments>::make([f = std::move(f), where](Arguments arguments) -> Both {
        const auto body = [&]() -> Both {
            auto chosen = Chosen::of(arguments);
            const Marked marked(chosen);
            Chosen::put(arguments, chosen);
            Result result = std::apply(f, arguments);
            marked.write_back();
            const array value = value_part(result);
            check_scalar(value);
            const array one = ones_like(value);
            put_leaves(chosen, pull_back(marked.marks(), {&value, 1}, {&one, 1}));
            return Both(std::move(result), One::of(std::move(chosen)));
        };
        return within("grad", where, [&] { return recorded_as<Both>(body); });
    });
}

template <std::size_t... I, class F>
auto grad_at(const std::source_location& where, F f) {
    using Types = Callable<F>;
    using Result = typename Types::Result;
    using Arguments = typename Types::Arguments;
    auto both = value_and_grad_at<I...>(where, std::move(f));
    using Derivative = typename Callable<decltype(both)>::Result::second_type;
    if constexpr (is_pair<Result>) {
        using Given = std::pair<Derivative, typename Result::second_type>;
        return FunctionOf<Given, Arguments>::make([both](Arguments arguments) -> Given {
            auto found = std::apply(both, std::move(arguments));
            return {std::move(found.second), std::move(found.first.second)};
        });
    } else {
        return FunctionOf<Derivative, Arguments>::make(
            [both](Arguments arguments) -> Derivative { return std::apply(both, std::move(arguments)).second; });
    }
}

}  // namespace detail

/// \addtogroup transforms
/// @{

/// f's result and its derivative with respect to the arguments with numbers I (the first by default): as jax.value_and_grad. The result is one real
/// element; of a pair, the first part is, and the second is handed through (has_aux). The derivative has the type of the argument (plain values in it are
/// as they are); of several, a tuple.
///
///     const auto [loss, change] = value_and_grad([](const array& w) { return sum(w * w); })(ones({3}));
///
/// \returns a std::function of f's arguments that gives a pair.
/// \throws ValueError for a result that is no single element, TypeError for dtypes that are not floating or complex.
template <std::size_t... I, class F>
auto value_and_grad(F f, const std::source_location& where = std::source_location::current()) {
    if constexpr (detail::check_differentiated<F, I...>()) return detail::value_and_grad_at<I...>(where, std::move(f));
    else return detail::Refused();
}

/// The derivative alone, as jax.grad; of a function that gives a pair, a pair of it and the second part.
///
///     const array slope = grad([](const array& x) { return sum(x * x); })(ones({3}));  // 2 2 2
///
/// \returns a std::function of f's arguments.
/// \throws ValueError and TypeError as value_and_grad().
template <std::size_t... I, class F>
auto grad(F f, const std::source_location& where = std::source_location::current()) {
    if constexpr (detail::check_differentiated<F, I...>()) return detail::grad_at<I...>(where, std::move(f));
    else return detail::Refused();
}

/// @}

namespace detail {

template <class F, class Primals, class Tangents>
auto jvp_at(const std::source_location& where, F f, Primals primals, Tangents tangents) {
    using Result = typename Callable<F>::Result;
    using Both = std::pair<Result, Result>;
    const auto body = [&]() -> Both {
        const std::vector<array> changes = leaves_of(tangents);
        const Marked marked(primals);
        Result result = std::apply(f, primals);
        marked.write_back();
        Both both(result, result);
        put_leaves(both.second, push_forward(marked.marks(), leaves_of(result), changes));
        return both;
    };
    return within("jvp", where, [&] { return recorded_as<Both>(body); });
}

}  // namespace detail

/// \addtogroup transforms
/// @{

/// f(primals...) and how it changes with the arguments, along tangents of their types: as jax.jvp. Both are tuples.
///
///     const auto [y, dy] = jvp([](const array& x) { return x * x; }, std::tuple(ones({3})), std::tuple(ones({3})));
///
/// \returns a pair of the result and its tangent, of the result's type.
/// \throws ValueError where a tangent's shape is not its primal's.
template <class F, class Primals, class Tangents>
auto jvp(F f, Primals primals, Tangents tangents, const std::source_location& where = std::source_location::current()) {
    if constexpr (!detail::check_transformed<F>()) return detail::Refused();
    else if constexpr (!detail::check_tangents<F, Primals, Tangents>()) return detail::Refused();
    else return detail::jvp_at(where, std::move(f), std::move(primals), std::move(tangents));
}

/// Keyword arguments of vmap(): vmap(f, {.in_axes = {0, std::nullopt}}).
struct VmapOptions {
    /// Of each argument: the axis that is mapped over, nothing for one that is the same for all parts. Empty: 0 of each.
    std::vector<std::optional<int>> in_axes = {};
    /// Where the parts are in the results.
    int out_axes = 0;
    /// What psum() and its kin call the axis.
    std::string axis_name = {};
};

/// @}

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

namespace detail {

template <class F>
auto vmap_at(const std::source_location& where, F f, VmapOptions options) {
    using Types = Callable<F>;
    using Result = typename Types::Result;
    using Arguments = typename Types::Arguments;
    return FunctionOf<Result, Arguments>::make([f = std::move(f), options = std::move(options), where](Arguments arguments) -> Result {
        const auto body = [&]() -> Result {
            Examples examples;
            check_axes(options.in_axes.size(), std::tuple_size_v<Arguments>);
            std::size_t number = 0;
            std::apply(
                [&](auto&... argument) {
                    const auto add = [&](auto& each) {
                        const std::optional<int> axis = options.in_axes.empty() ? 0 : options.in_axes[number];
                        ++number;
                        auto leaf = [&](array& x) { x = examples.add(x, axis); };
                        walk(each, leaf, ignore, ignore);
                    };
                    (add(argument), ...);
                },
                arguments);
            examples.check();
            if (!options.axis_name.empty()) examples.set_name(options.axis_name);
            Result result = std::apply(f, arguments);
            examples.write_back();
            put_leaves(result, examples.batch(leaves_of(result), options.out_axes));
            return result;
        };
        return within("vmap", where, [&] { return recorded_as<Result>(body); });
    });
}

}  // namespace detail

/// \addtogroup transforms
/// @{

/// f for all parts of its arguments along an axis at once: as jax.vmap.
///
///     const auto norms = vmap([](const array& row) { return sqrt(sum(row * row)); });
///     norms(ones({5, 4}));  // 2 2 2 2 2
///
/// \returns a std::function of f's arguments, with one more axis each, that gives f's result with one more axis.
/// \throws ValueError for axes of different sizes; TypeError where f depends on values that differ from part to part in other ways than through arrays.
template <class F>
auto vmap(F f, VmapOptions options = {}, const std::source_location& where = std::source_location::current()) {
    if constexpr (detail::check_transformed<F>()) return detail::vmap_at(where, std::move(f), std::move(options));
    else return detail::Refused();
}

/// @}

}  // namespace fastnp

#include "fastnp/detail/derived.h"
#include "fastnp/detail/staged.h"
