// compile() for C++ callables: arguments and results are walked at compile time. An argument may be an array, a plain value (a guard by equality), or a
// tuple, pair, vector, std::array or aggregate of these; so may what the function returns.
#pragma once

#include <algorithm>
#include <any>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <functional>
#include <optional>
#include <source_location>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "fastnp/compile.h"
#include "fastnp/error.h"

namespace fastnp {

namespace detail {

/// Converts to anything: counts the members of an aggregate.
struct AnyMember {
    template <class T>
    operator T() const;  // NOLINT: for overload resolution alone
};

template <class T, std::size_t... I>
constexpr bool constructible_from_members(std::index_sequence<I...>) {
    return requires { T{((void)I, AnyMember{})...}; };
}
template <class T, std::size_t N = 12>
constexpr std::size_t member_count() {
    if constexpr (N == 0 || constructible_from_members<T>(std::make_index_sequence<N>{})) return N;
    else return member_count<T, N - 1>();
}

template <class T>
inline constexpr bool is_tuple = false;
template <class... T>
inline constexpr bool is_tuple<std::tuple<T...>> = true;
template <class A, class B>
inline constexpr bool is_tuple<std::pair<A, B>> = true;
template <class T>
inline constexpr bool is_sequence = false;
template <class T>
inline constexpr bool is_sequence<std::vector<T>> = true;
template <class T, std::size_t N>
inline constexpr bool is_sequence<std::array<T, N>> = true;

/// Calls visit(member...) with the members of an aggregate.
template <class T, class F>
decltype(auto) with_members(T& value, F&& visit) {
    constexpr std::size_t count = member_count<std::remove_cv_t<T>>();
    static_assert(count <= 12, "fastnp::compile: structs of up to 12 members");
    if constexpr (count == 0) {
        return visit();
    } else if constexpr (count == 1) {
        auto& [a] = value;
        return visit(a);
    } else if constexpr (count == 2) {
        auto& [a, b] = value;
        return visit(a, b);
    } else if constexpr (count == 3) {
        auto& [a, b, c] = value;
        return visit(a, b, c);
    } else if constexpr (count == 4) {
        auto& [a, b, c, d] = value;
        return visit(a, b, c, d);
    } else if constexpr (count == 5) {
        auto& [a, b, c, d, e] = value;
        return visit(a, b, c, d, e);
    } else if constexpr (count == 6) {
        auto& [a, b, c, d, e, f] = value;
        return visit(a, b, c, d, e, f);
    } else if constexpr (count == 7) {
        auto& [a, b, c, d, e, f, g] = value;
        return visit(a, b, c, d, e, f, g);
    } else if constexpr (count == 8) {
        auto& [a, b, c, d, e, f, g, h] = value;
        return visit(a, b, c, d, e, f, g, h);
    } else if constexpr (count == 9) {
        auto& [a, b, c, d, e, f, g, h, i] = value;
        return visit(a, b, c, d, e, f, g, h, i);
    } else if constexpr (count == 10) {
        auto& [a, b, c, d, e, f, g, h, i, j] = value;
        return visit(a, b, c, d, e, f, g, h, i, j);
    } else if constexpr (count == 11) {
        auto& [a, b, c, d, e, f, g, h, i, j, k] = value;
        return visit(a, b, c, d, e, f, g, h, i, j, k);
    } else {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l] = value;
        return visit(a, b, c, d, e, f, g, h, i, j, k, l);
    }
}

/// Visits the leaves of a structure: `leaf(array&)`, `plain(value)`, `length(n)` before a sequence.
template <class T, class Leaf, class Plain, class Length>
void walk(T& value, Leaf& leaf, Plain& plain, Length& length) {
    using Bare = std::remove_cv_t<T>;
    if constexpr (std::is_same_v<Bare, array>) {
        leaf(value);
    } else if constexpr (std::is_arithmetic_v<Bare> || std::is_enum_v<Bare> || std::is_same_v<Bare, std::string> || std::is_same_v<Bare, Scalar> ||
                         std::is_same_v<Bare, std::complex<float>> || std::is_same_v<Bare, std::complex<double>>) {
        plain(value);
    } else if constexpr (is_tuple<Bare>) {
        std::apply([&](auto&... part) { (walk(part, leaf, plain, length), ...); }, value);
    } else if constexpr (is_sequence<Bare>) {
        length(value.size());
        for (auto& part : value) walk(part, leaf, plain, length);
    } else if constexpr (std::is_same_v<Bare, std::optional<array>>) {
        length(value.has_value() ? 1 : 0);
        if (value) leaf(*value);
    } else if constexpr (std::is_aggregate_v<Bare>) {
        with_members(value, [&](auto&... part) { (walk(part, leaf, plain, length), ...); });
    } else {
        static_assert(std::is_aggregate_v<Bare>,
                      "fastnp::compile: arguments and results are arrays, plain values, and tuples, vectors and structs of these");
    }
}

/// For the parts of a structure that a walk passes over.
inline constexpr auto ignore = [](const auto&...) {};

inline void append(std::string& key, const std::string& text) {
    const std::size_t size = text.size();
    key.append(reinterpret_cast<const char*>(&size), sizeof size);
    key += text;
}
template <class T>
void append(std::string& key, const T& value) {
    if constexpr (std::is_same_v<T, Scalar>) {
        append(key, static_cast<int>(value.kind()));
        append(key, value.bits());
        append(key, value.real());
        append(key, value.imag());
    } else {
        char bytes[sizeof(T)];
        std::memcpy(bytes, &value, sizeof(T));
        key.append(bytes, sizeof(T));
    }
}

template <class F>
struct Callable : Callable<decltype(&F::operator())> {};
template <class R, class... A>
struct Callable<R(A...)> {
    using Result = std::remove_cvref_t<R>;
    using Arguments = std::tuple<std::remove_cvref_t<A>...>;
};
template <class R, class... A>
struct Callable<R (*)(A...)> : Callable<R(A...)> {};
template <class R, class C, class... A>
struct Callable<R (C::*)(A...)> : Callable<R(A...)> {};
template <class R, class C, class... A>
struct Callable<R (C::*)(A...) const> : Callable<R(A...)> {};
template <class R, class C, class... A>
struct Callable<R (C::*)(A...) const noexcept> : Callable<R(A...)> {};

/// What a compiled function does besides computing, after its compiled code has run: act(arrays).
struct Effect {
    std::function<void(std::span<const array>)> act;
    std::vector<array> arrays;
};
/// The effects that the recording of this thread has noted so far; null where none are taken.
FASTNP_API std::vector<Effect>*& noted_effects();
/// Takes the effects of a recording while it lives.
class EffectScope {
public:
    explicit EffectScope(std::vector<Effect>& effects) : before_(std::exchange(noted_effects(), &effects)) {}
    ~EffectScope() { noted_effects() = before_; }
    EffectScope(const EffectScope&) = delete;
    EffectScope& operator=(const EffectScope&) = delete;

private:
    std::vector<Effect>* before_;
};

/// Fills `argument` from a concrete array; false for one that is being recorded.
FASTNP_API bool borrow(const array& value, Argument& argument);
/// Whether this thread is recording: compiled functions then run as written, into the recording.
FASTNP_API bool is_recording();

}  // namespace detail

/// A compiled function: call it as the function itself. Copies share the cache. Thread-safe.
template <class F>
class Compiled {
    using Types = detail::Callable<std::remove_cvref_t<F>>;
    using Returned = typename Types::Result;
    using Result = std::conditional_t<std::is_void_v<Returned>, std::tuple<>, Returned>;  // a function may return nothing and write to its arguments
    using Arguments = typename Types::Arguments;

public:
    Compiled(F function, CompileOptions options) : shared_(std::make_shared<Shared>(std::move(function), std::move(options))) {}

    template <class... A>
    Returned operator()(A&&... values) const {
        Arguments arguments(std::forward<A>(values)...);
        return static_cast<Returned>(call(arguments));
    }

    /// Calls it with what is compiled; a call that nothing is compiled for runs as written.
    template <class... A>
    Returned frozen(A&&... values) const {
        Arguments arguments(std::forward<A>(values)...);
        return static_cast<Returned>(call(arguments, false));
    }

    CacheInfo cache_info() const { return shared_->engine.cache_info(); }
    void cache_clear() const { shared_->engine.clear(); }
    std::vector<EntryInfo> entries(bool with_code = false) const { return shared_->engine.entries(with_code); }
    std::vector<MissInfo> misses() const { return shared_->engine.misses(); }

private:
    /// What an entry gives: the result's structure and plain values, and what is done besides.
    struct Template {
        std::optional<Result> result;
        std::vector<detail::Effect> effects;
    };

    struct Shared {
        Shared(F function_, CompileOptions options) : function(std::move(function_)), engine(std::move(options)) {}
        F function;
        detail::Engine engine;
        std::atomic<bool> any_effects{false};                 // of any entry
    };

    Result run(Arguments& arguments) const {
        if constexpr (std::is_void_v<Returned>) return std::apply(shared_->function, arguments), Result();
        else return std::apply(shared_->function, arguments);
    }

    Result call(Arguments& arguments, bool may_compile = true) const {
        if (detail::is_recording()) return run(arguments);
        SmallVector<detail::Argument, 8> borrowed;
        bool concrete = true;
        auto leaf = [&](const array& value) {
            detail::Argument argument{};
            concrete = detail::borrow(value, argument) && concrete;
            borrowed.push_back(argument);
        };
        std::string key;
        auto plain = [&](const auto& value) { detail::append(key, value); };
        detail::walk(arguments, leaf, plain, plain);
        if (!concrete) return run(arguments);

        Recording recording(*this, arguments);
        detail::Results given;
        std::vector<array>& results = given.arrays;
        const detail::Engine::Result outcome = shared_->engine.call({borrowed.data(), borrowed.size()}, key, recording, may_compile, results);
        if (outcome.outcome == detail::Engine::Outcome::uncompiled) return run(arguments);
        if constexpr (std::is_same_v<Result, array>) {
            if (!shared_->any_effects.load(std::memory_order_relaxed)) return std::move(results[0]);
        }
        return put_together(*static_cast<const Template*>(outcome.kept.get()), results);
    }

    // The result around its arrays; then the effects.
    static Result put_together(const Template& made, std::vector<array>& results) {
        Result result = *made.result;
        std::size_t next = 0;
        auto put = [&](array& value) { value = results[next++]; };
        detail::walk(result, put, detail::ignore, detail::ignore);
        for (const detail::Effect& effect : made.effects) {
            effect.act({results.data() + next, effect.arrays.size()});
            next += effect.arrays.size();
        }
        return result;
    }

    class Recording final : public detail::Engine::Callee {
    public:
        Recording(const Compiled& compiled, const Arguments& arguments) : compiled_(compiled), arguments_(arguments) {}

        std::vector<array> record(std::span<const array> parameters) override {
            Arguments symbolic = arguments_;
            std::size_t next = 0;
            auto put = [&](array& value) { value = parameters[next++]; };
            detail::walk(symbolic, put, detail::ignore, detail::ignore);
            made_ = std::make_shared<Template>();
            const detail::EffectScope scope(made_->effects);
            made_->result.emplace(compiled_.run(symbolic));
            std::vector<array> outputs;
            auto take = [&](array& value) { outputs.push_back(std::exchange(value, array())); };
            detail::walk(*made_->result, take, detail::ignore, detail::ignore);
            for (detail::Effect& effect : made_->effects) {
                for (array& value : effect.arrays) take(value);
            }
            return outputs;
        }

        std::shared_ptr<const void> keep() override {
            if (!made_->effects.empty()) compiled_.shared_->any_effects.store(true, std::memory_order_relaxed);
            return std::exchange(made_, nullptr);
        }

    private:
        const Compiled& compiled_;
        const Arguments& arguments_;
        std::shared_ptr<Template> made_;
    };

    std::shared_ptr<Shared> shared_;
};

/// Calls function(args...) for its effect. In a compiled function the call is made each time, after the compiled code has run, with the values of that
/// run: arrays (among the arguments, or in tuples, vectors and structs of them) as they were at this point of the program, plain values as recorded. The
/// function must not change what the rest of the compiled function reads. RecordError in a recording that can't take effects.
template <class F, class... A>
void effect(F&& function, const A&... args) {
    if (!detail::is_recording()) {
        std::invoke(std::forward<F>(function), args...);
        return;
    }
    if (detail::noted_effects() == nullptr) throw RecordError("this recording can't take effects");
    detail::Effect noted;
    std::tuple<std::decay_t<A>...> values(args...);
    auto take = [&](array& value) {
        noted.arrays.push_back(value.copy());
        value = array();
    };
    detail::walk(values, take, detail::ignore, detail::ignore);
    noted.act = [function = std::decay_t<F>(std::forward<F>(function)), values](std::span<const array> arrays) {
        auto passed = values;
        std::size_t next = 0;
        auto put = [&](array& value) { value = arrays[next++]; };
        detail::walk(passed, put, detail::ignore, detail::ignore);
        std::apply(function, passed);
    };
    detail::noted_effects()->push_back(std::move(noted));
}

namespace detail {

inline CompileOptions placed(CompileOptions options, const std::source_location& where) {
    if (options.place.empty()) options.place = std::string(where.file_name()) + ":" + std::to_string(where.line());
    return options;
}

}  // namespace detail

/// Compiles a function, a lambda (with captures: arrays captured by value are read anew at each call, plain ones are fixed) or any callable with one
/// operator(). ValueError for an unknown backend.
template <class F>
Compiled<std::decay_t<F>> compile(F&& function, CompileOptions options = {}, const std::source_location& where = std::source_location::current()) {
    return Compiled<std::decay_t<F>>(std::forward<F>(function), detail::placed(std::move(options), where));
}

/// Compiles a member function for one object, which must outlive the result.
template <class R, class C, class... A>
auto compile(R (C::*member)(A...), C& object, CompileOptions options = {}, const std::source_location& where = std::source_location::current()) {
    auto bound = [member, &object](A... arguments) -> R { return (object.*member)(arguments...); };
    return Compiled<decltype(bound)>(std::move(bound), detail::placed(std::move(options), where));
}
template <class R, class C, class... A>
auto compile(R (C::*member)(A...) const, const C& object, CompileOptions options = {},
             const std::source_location& where = std::source_location::current()) {
    auto bound = [member, &object](A... arguments) -> R { return (object.*member)(arguments...); };
    return Compiled<decltype(bound)>(std::move(bound), detail::placed(std::move(options), where));
}

}  // namespace fastnp
