// The templates of fastnp/transform.h: what they take apart and put together around the functions of detail/transform.h.
#pragma once

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
void put_leaves(T& value, std::span<const array>& leaves) {
    auto put = [&](array& leaf) {
        leaf = leaves.front();
        leaves = leaves.subspan(1);
    };
    walk(value, put, ignore, ignore);
}
template <class T>
void put_leaves(T& value, const std::vector<array>& leaves) {
    std::span<const array> rest(leaves);
    put_leaves(value, rest);
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
const array& value_part(const Result& result) {
    if constexpr (is_pair<Result>) return result.first;
    else return result;
}

}  // namespace detail

/// f's result and its derivative with respect to the arguments with numbers I (the first by default): as jax.value_and_grad. The result is one real
/// element; of a pair, the first part is, and the second is handed through (has_aux). The derivative has the type of the argument (plain values in it are as
/// they are); of several, a tuple. ValueError for a result that is no single element, TypeError for dtypes that are not floating or complex.
template <std::size_t... I, class F>
auto value_and_grad(F f) {
    using Types = detail::Callable<std::remove_cvref_t<F>>;
    using Result = typename Types::Result;
    using Arguments = typename Types::Arguments;
    using Chosen = detail::Chosen<Arguments, I...>;
    using One = detail::OneOrTuple<typename Chosen::Type>;
    using Both = std::pair<Result, typename One::Type>;
    return detail::FunctionOf<Both, Arguments>::make([f = std::move(f)](Arguments arguments) -> Both {
        return detail::recorded_as<Both>([&]() -> Both {
            auto chosen = Chosen::of(arguments);
            const detail::Marked marked(chosen);
            Chosen::put(arguments, chosen);
            Result result = std::apply(f, arguments);
            marked.write_back();
            const array& value = detail::value_part(result);
            detail::check_scalar(value);
            const array one = ones_like(value);
            detail::put_leaves(chosen, detail::pull_back(marked.marks(), {&value, 1}, {&one, 1}));
            return Both(std::move(result), One::of(std::move(chosen)));
        });
    });
}

/// The derivative alone, as jax.grad; of a function that gives a pair, a pair of it and the second part.
template <std::size_t... I, class F>
auto grad(F f) {
    using Types = detail::Callable<std::remove_cvref_t<F>>;
    using Result = typename Types::Result;
    auto both = value_and_grad<I...>(std::move(f));
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
};

namespace detail {

/// What batch() needs, gathered over arguments. ValueError for axes of different sizes, and where nothing is mapped.
class FASTNP_API Examples {
public:
    /// What the function gets for x.
    array add(const array& x, std::optional<int> axis);
    void write_back() const;
    std::vector<array> batch(const std::vector<array>& outputs, int out_axis) const;
    void check() const;

private:
    std::vector<array> arrays_, examples_, inputs_;
    std::vector<int> axes_;
};

}  // namespace detail

/// f for all parts of its arguments along an axis at once: as jax.vmap. ValueError for axes of different sizes; TypeError where f depends on values that
/// differ from part to part in other ways than through arrays.
template <class F>
auto vmap(F f, VmapOptions options = {}) {
    using Types = detail::Callable<std::remove_cvref_t<F>>;
    using Result = typename Types::Result;
    using Arguments = typename Types::Arguments;
    return detail::FunctionOf<Result, Arguments>::make([f = std::move(f), options = std::move(options)](Arguments arguments) -> Result {
        return detail::recorded_as<Result>([&]() -> Result {
            detail::Examples examples;
            std::size_t number = 0;
            std::apply(
                [&](auto&... argument) {
                    const auto add = [&](auto& each) {
                        const std::optional<int> axis = options.in_axes.empty() ? 0 : options.in_axes.at(number);
                        ++number;
                        auto leaf = [&](array& x) { x = examples.add(x, axis); };
                        detail::walk(each, leaf, detail::ignore, detail::ignore);
                    };
                    (add(argument), ...);
                },
                arguments);
            examples.check();
            Result result = std::apply(f, arguments);
            examples.write_back();
            detail::put_leaves(result, examples.batch(detail::leaves_of(result), options.out_axes));
            return result;
        });
    });
}

/// The derivatives of f(x)'s elements with respect to x's: f(x).shape + x.shape. By forward mode, a column for each element of x, all at once.
template <class F>
std::function<array(array)> jacfwd(F f) {
    return [f = std::move(f)](array x) {
        return detail::recorded_as<array>([&] {
            const detail::Marked marked(x);
            const array y = f(x);
            marked.write_back();
            return detail::jacobian_columns(marked.marks()[0], y);
        });
    };
}
/// The same by reverse mode, a row for each element of f(x).
template <class F>
std::function<array(array)> jacrev(F f) {
    return [f = std::move(f)](array x) {
        return detail::recorded_as<array>([&] {
            const detail::Marked marked(x);
            const array y = f(x);
            marked.write_back();
            return detail::jacobian_rows(marked.marks()[0], y);
        });
    };
}
/// The second derivatives of f(x), one element: x.shape + x.shape.
template <class F>
std::function<array(array)> hessian(F f) {
    return jacfwd(jacrev(std::move(f)));
}

}  // namespace fastnp
