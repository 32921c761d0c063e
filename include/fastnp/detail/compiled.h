// compile() for C++ callables: arguments and results are walked at compile time (detail/walk.h). An argument may be an array, a plain value (a guard by
// equality), or a tuple, pair, vector, std::array or aggregate of these; so may what the function returns. What a callable holds by value is a guard, too
// (detail/callable.h), and so is what it reads through fastnp::ref (detail/references.h).
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <optional>
#include <source_location>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "fastnp/compile.h"
#include "fastnp/detail/ahead.h"
#include "fastnp/detail/callable.h"
#include "fastnp/detail/references.h"
#include "fastnp/detail/told.h"
#include "fastnp/detail/walk.h"
#include "fastnp/error.h"

namespace fastnp {

namespace detail {

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

/// Whether this thread is recording: compiled functions then run as written, into the recording.
FASTNP_API bool is_recording();
/// Whether it is recording for other calls than this one.
FASTNP_API bool is_recording_for_later();
/// Notes the arrays that this thread's recording makes from now on.
FASTNP_API void watch_arrays();
/// Of these, and of the parameters: those that are left when the function has returned: besides the parameters and what it gave, something outside of the
/// function holds them.
FASTNP_API std::vector<array> outliving(std::span<const array> parameters, std::span<const array> given);
/// Such an array gets what the call computed for it: from now on it is memory.
FASTNP_API void become(const array& recorded, const array& computed);
/// Throws an error of fastnp's again, with where it was. It returns where the error tells that already, or is of a class of the user's: to be thrown as it
/// is, by who caught it (the C++ runtime of the library may be another one, which has not caught anything).
FASTNP_API void throw_within(const Error& error, const std::string& where);
/// "function 'model', compiled at model.cpp:12"
FASTNP_API std::string place_of(const CompileOptions& options);

}  // namespace detail

/// \addtogroup compile
/// @{

/// A compiled function: call it as the function itself. Copies share the cache. Thread-safe.
template <class F>
class Compiled {
    using Types = detail::Callable<std::remove_cvref_t<F>>;
    using Returned = typename Types::Result;
    using Result = std::conditional_t<std::is_void_v<Returned>, std::tuple<>, Returned>;  // a function may return nothing and write to its arguments
    using Arguments = typename Types::Arguments;
    static constexpr bool is_generic = Types::is_generic;
    static constexpr int most_changes = 8;  // of the function's own state, before it runs as written

public:
    /// As compile() makes it. ValueError as there.
    Compiled(F function, CompileOptions options) : shared_(std::make_shared<Shared>(std::move(function), std::move(options))) {}

    /// Calls the function, compiled: on first use for each kind of arguments.
    ///
    /// \returns what the function gives.
    /// \throws what the function throws; errors of fastnp's tell where it was compiled. RecordError with `fullgraph`, CacheLimitError with OnLimit::error,
    /// VerifyError with `verify`; ValueError, IndexError and AxisError for sizes that are not the named ones.
    template <class... A>
    Returned operator()(A&&... values) const {
        if constexpr (detail::check_call<Arguments, is_generic, A...>()) {
            if constexpr (std::is_same_v<std::tuple<std::remove_cvref_t<A>...>, Arguments>) {
                if (std::optional<Result> result = call_like_last(values...)) return static_cast<Returned>(*std::move(result));
            }
            Arguments arguments(std::forward<A>(values)...);
            return static_cast<Returned>(call(arguments));
        }
    }

    /// Calls it with what is compiled; a call that nothing is compiled for runs as written.
    template <class... A>
    Returned frozen(A&&... values) const {
        if constexpr (detail::check_call<Arguments, is_generic, A...>()) {
            Arguments arguments(std::forward<A>(values)...);
            return static_cast<Returned>(call(arguments, false));
        }
    }

    /// Records it for such arguments, and goes as far as `ahead` says, which has all that comes of it. RecordError for functions that do more than
    /// compute.
    template <class... A>
    void look_ahead(detail::Ahead& ahead, const A&... values) const {
        if constexpr (detail::check_call<Arguments, is_generic, A...>()) {
            if (detail::is_recording()) throw RecordError("a function is compiled ahead of time in a recording");
            Arguments arguments(values...);
            auto stand_in = [](array& value) { value = array::uninitialized(value.dtype(), value.shape()); };  // in C order, and nothing else's memory
            detail::walk(arguments, stand_in, detail::ignore, detail::ignore);
            detail::CallParts parts;
            parts.add(arguments);
            ahead.given = parts.arguments.size();
            const detail::References::List* const references = add_what_it_reads(parts);
            Recording recording(*this, arguments, references);
            ahead.describe = [](const void* kept) {
                if (static_cast<const Template*>(kept)->does_more()) throw RecordError("it does more than compute its result, which can't be exported");
                return std::string();
            };
            std::vector<array> results;
            const detail::Engine::Result outcome =
                shared_->engine.call({parts.arguments.data(), parts.arguments.size()}, parts.key, recording, true, results);
            if (outcome.outcome == detail::Engine::Outcome::uncompiled) throw RecordError(outcome.refused);
        }
    }

    /// Counts of calls and entries.
    CacheInfo cache_info() const { return shared_->engine.cache_info(); }
    /// Forgets all entries and counts.
    void cache_clear() const { shared_->engine.clear(); }
    /// What was compiled, newest first; with generated code as text if asked for.
    std::vector<EntryInfo> entries(bool with_code = false) const { return shared_->engine.entries(with_code); }
    /// Why the last calls were not served from the cache.
    std::vector<MissInfo> misses() const { return shared_->engine.misses(); }
    /// As it was compiled.
    const CompileOptions& options() const { return shared_->engine.options(); }
    /// The folder that it was written to last (set_debug_folder), or empty.
    std::string debug_folder() const { return shared_->engine.debug_folder(); }

private:
    /// What an entry gives: the result's structure and plain values, and what is done besides.
    struct Template {
        std::optional<Result> result;
        std::vector<detail::Effect> effects;
        std::optional<detail::StateBytes<F>> next_state;  // of the function
        std::vector<array> left;  // arrays that something outside of the function holds
        bool does_more() const { return !effects.empty() || next_state || !left.empty(); }
    };

    struct Shared {
        Shared(F function_, CompileOptions options)
            : function(std::move(function_)), first_state(detail::state_bytes(function)), engine(std::move(options)) {}
        F function;
        detail::StateBytes<F> first_state;
        detail::References references;
        detail::Engine engine;
        std::atomic<bool> does_more{false};  // any entry
        std::atomic<int> changes{0};  // recordings that changed its state
    };

    Result apply(F& function, Arguments& arguments) const {
        if constexpr (std::is_void_v<Returned>) return std::apply(function, arguments), Result();
        else return std::apply(function, arguments);
    }

    // As written: on its own, or into the recording that this thread is in.
    Result run(Arguments& arguments) const {
        if constexpr (detail::has_plain_state<F> || detail::may_change_itself<F>()) {
            if (detail::is_recording_for_later()) {
                detail::Observed<F> observed(shared_->function);
                Result result = apply(observed.function(), arguments);
                if (observed.next() || observed.has_changed()) throw RecordError("calls a compiled function that changes what it holds");
                return result;
            }
        }
        return apply(shared_->function, arguments);
    }

    Result call(Arguments& arguments, bool may_compile = true) const {
        return placed([&] { return call_unplaced(arguments, may_compile); });
    }

    template <class Body>
    auto placed(const Body& body) const {
        try {
            return body();
        } catch (const Error& error) {
            detail::throw_within(error, detail::place_of(shared_->engine.options()));
            throw;
        }
    }

    // A call like the last one of this thread, by the arguments as they are passed; nothing for another one.
    template <class... A>
    std::optional<Result> call_like_last(const A&... values) const {
        if (!shared_->engine.knows_last_call() || detail::is_recording()) return std::nullopt;
        return placed([&]() -> std::optional<Result> {
            detail::CallParts parts;
            (parts.add(values), ...);
            add_what_it_reads(parts);
            detail::Results given;
            const std::span<const detail::Argument> passed(parts.arguments.data(), parts.arguments.size());
            const std::shared_ptr<const void> kept = parts.is_concrete ? shared_->engine.call_like_last(passed, parts.key, given.arrays) : nullptr;
            if (!kept) return std::nullopt;
            return result_of(kept.get(), given.arrays);
        });
    }

    // What the function reads besides its arguments; the references among it.
    const detail::References::List* add_what_it_reads(detail::CallParts& parts) const {
        const detail::References::List* const references = shared_->references.known();
        if (references != nullptr) {
            for (const detail::Referenced& each : *references) each.add(each.variable, parts);
        }
        if constexpr (detail::has_plain_state<F>) {
            if (!detail::has_state(shared_->function, shared_->first_state)) detail::append(parts.key, detail::state_bytes(shared_->function));
        }
        return references;
    }

    Result call_unplaced(Arguments& arguments, bool may_compile) const {
        if (detail::is_recording()) {
            detail::note_backend(shared_->engine.options().backend);
            return run(arguments);
        }
        detail::CallParts parts;
        parts.add(arguments);
        const detail::References::List* const references = add_what_it_reads(parts);
        if (!parts.is_concrete) return run(arguments);

        Recording recording(*this, arguments, references);
        detail::Results given;
        std::vector<array>& results = given.arrays;
        const detail::Engine::Result outcome =
            shared_->engine.call({parts.arguments.data(), parts.arguments.size()}, parts.key, recording, may_compile, results);
        if (outcome.outcome == detail::Engine::Outcome::uncompiled) return run(arguments);
        return result_of(outcome.kept.get(), results);
    }

    Result result_of(const void* kept, std::vector<array>& results) const {
        if constexpr (std::is_same_v<Result, array>) {
            if (!shared_->does_more.load(std::memory_order_relaxed)) return std::move(results[0]);
        }
        return put_together(*static_cast<const Template*>(kept), results);
    }

    // The result around its arrays; then what is done besides.
    Result put_together(const Template& made, std::vector<array>& results) const {
        Result result = *made.result;
        std::size_t next = 0;
        auto put = [&](array& value) { value = results[next++]; };
        detail::walk(result, put, detail::ignore, detail::ignore);
        if (made.next_state) detail::set_state(shared_->function, *made.next_state);
        std::size_t left = results.size() - made.left.size();
        for (const array& each : made.left) detail::become(each, results[left++]);
        for (const detail::Effect& effect : made.effects) {
            effect.act({results.data() + next, effect.arrays.size()});
            next += effect.arrays.size();
        }
        if (!made.left.empty() && shared_->engine.options().verify != 0) throw VerifyError(shared_->engine.options().name + " " + keeps_arrays(made.left));
        return result;
    }

    static std::string keeps_arrays(const std::vector<array>& arrays) {
        std::string text;
        for (const array& each : arrays)
            text += (text.empty() ? "" : ", ") + std::string(name_of(each.dtype())) + " of " + std::to_string(each.ndim()) + " axes";
        return "stores arrays that it makes (" + text + ") in variables of the outside; give them back as results, or set them through fastnp::ref";
    }

    class Recording final : public detail::Engine::Callee {
    public:
        Recording(const Compiled& compiled, const Arguments& arguments, const detail::References::List* references)
            : compiled_(compiled), arguments_(arguments), references_(references) {}

        std::vector<array> record(std::span<const array> parameters) override {
            made_ = std::make_shared<Template>();
            use_ = {};
            detail::watch_arrays();
            std::vector<array> outputs;
            auto take = [&](array& value) { outputs.push_back(std::exchange(value, array())); };
            detail::Observed<F> observed(compiled_.shared_->function);
            call_function(observed.function(), parameters);
            detail::walk(*made_->result, take, detail::ignore, detail::ignore);
            for (detail::Effect& effect : made_->effects) {
                for (array& value : effect.arrays) take(value);
            }
            note_state(observed);
            made_->left = detail::outliving(parameters, outputs);
            if (!made_->left.empty()) use_ = {true, keeps_arrays(made_->left)};
            outputs.insert(outputs.end(), made_->left.begin(), made_->left.end());
            return outputs;
        }

        std::shared_ptr<const void> keep() override {
            if (made_->does_more()) compiled_.shared_->does_more.store(true, std::memory_order_relaxed);
            return std::exchange(made_, nullptr);
        }

        Use use() const override { return use_; }

    private:
        void call_function(F& function, std::span<const array> parameters) {
            Arguments symbolic = arguments_;
            std::size_t next = 0;
            auto put = [&](array& value) { value = parameters[next++]; };
            detail::walk(symbolic, put, detail::ignore, detail::ignore);
            const detail::ReferenceScope scope(references_, parameters.subspan(next));
            const detail::EffectScope effects(made_->effects);
            made_->result.emplace(compiled_.apply(function, symbolic));
            if (scope.missed().empty()) return;
            compiled_.shared_->references.add(scope.missed());  // the next call is one with these
            use_.once = true;
        }

        void note_state(detail::Observed<F>& observed) {
            made_->next_state = observed.next();
            if (made_->next_state && ++compiled_.shared_->changes > most_changes) use_ = {true, "changes what it holds at every call"};
            if (!observed.has_changed()) return;
            const char* const why = "changes what it holds (a mutable lambda, or an object's member function) in ways that can't be followed";
            if (!detail::Observed<F>::is_in_place) throw RecordError(why);
            use_ = {true, why};
        }

        const Compiled& compiled_;
        const Arguments& arguments_;
        const detail::References::List* references_;
        std::shared_ptr<Template> made_;
        Use use_;
    };

    std::shared_ptr<Shared> shared_;
};

/// @}

namespace detail {

template <class F, class... A>
void call_or_note(F&& function, const A&... args) {
    if (!is_recording()) {
        std::invoke(std::forward<F>(function), args...);
        return;
    }
    if (noted_effects() == nullptr) throw RecordError("this recording can't take effects");
    Effect noted;
    std::tuple<std::decay_t<A>...> values(args...);
    auto take = [&](array& value) {
        noted.arrays.push_back(value.copy());
        value = array();
    };
    walk(values, take, ignore, ignore);
    noted.act = [function = std::decay_t<F>(std::forward<F>(function)), values](std::span<const array> arrays) {
        auto passed = values;
        std::size_t next = 0;
        auto put = [&](array& value) { value = arrays[next++]; };
        walk(passed, put, ignore, ignore);
        std::apply(function, passed);
    };
    noted_effects()->push_back(std::move(noted));
}

}  // namespace detail

/// \addtogroup compile
/// @{

/// Calls function(args...) for its effect. In a compiled function the call is made each time, after the compiled code has run, with the values of that
/// run: arrays (among the arguments, or in tuples, vectors and structs of them) as they were at this point of the program, plain values as recorded. The
/// function must not change what the rest of the compiled function reads. RecordError in a recording that can't take effects.
template <class F, class... A>
void effect(F&& function, const A&... args) {
    if constexpr (detail::check_effect<F, A...>()) detail::call_or_note(std::forward<F>(function), args...);
}

/// @}

namespace detail {

template <class F>
struct Callable<Compiled<F>> : Callable<F> {};

inline std::string text_of(const std::source_location& where) { return std::string(where.file_name()) + ":" + std::to_string(where.line()); }

/// The compiled function; errors of its options tell where that was to be.
template <class F>
Compiled<F> compiled_at(const std::source_location& where, F function, CompileOptions options) {
    if (options.place.empty()) options.place = text_of(where);
    const std::string place = place_of(options);
    try {
        return Compiled<F>(std::move(function), std::move(options));
    } catch (const Error& error) {
        throw_within(error, place);
        throw;
    }
}

template <class T>
inline constexpr bool is_member_function = std::is_member_function_pointer_v<std::decay_t<T>>;

/// What a member function is compiled with.
struct WithObject {
    template <class R, class C, class... A>
    void operator()(R (C::*)(A...), C&) const;
    template <class R, class C, class... A>
    void operator()(R (C::*)(A...) const, const C&) const;
};

}  // namespace detail

/// \addtogroup compile
/// @{

/// Compiles a function, a lambda or any callable with one operator(). What it holds by value is seen: arrays are read
/// anew at each call; if it is trivially copyable, its bytes are a guard, so counters of mutable lambdas count; others that change what they hold run as
/// written. What it reads through C++ references and pointers is not seen, and is taken for granted: give it as an argument, or by fastnp::ref (ref.h).
/// CompileOptions::verify finds such things. Arrays that it stores there get their values when the call is done, and it runs as written from then on.
/// Parameters `auto` of a generic lambda stand for arrays.
///
///     const auto norm = compile([](const array& x) { return sqrt(sum(x * x)); });
///     const array length = norm(ones({4}));
///
/// \returns a Compiled, to be called as the function.
/// \throws ValueError for an unknown backend, a cache_size_limit of 0, and named sizes without a size in their range.
template <class F>
auto compile(F&& function, CompileOptions options = {}, const std::source_location& where = std::source_location::current()) {
    if constexpr (detail::check_function<std::decay_t<F>>())
        return detail::compiled_at<std::decay_t<F>>(where, std::forward<F>(function), std::move(options));
    else return detail::Refused();
}

/// Compiles a member function for one object, which must outlive the result. The bytes of an object that is trivially copyable are a guard.
///
///     const auto step = compile(&Model::step, model);
template <class R, class C, class... A>
auto compile(R (C::*member)(A...), C& object, CompileOptions options = {}, const std::source_location& where = std::source_location::current()) {
    using Bound = detail::BoundMember<C, R (C::*)(A...), R(A...)>;
    if constexpr (detail::check_function<Bound>()) return detail::compiled_at(where, Bound{member, &object}, std::move(options));
    else return detail::Refused();
}
/// The same of a member function that is const.
template <class R, class C, class... A>
auto compile(R (C::*member)(A...) const, const C& object, CompileOptions options = {},
             const std::source_location& where = std::source_location::current()) {
    using Bound = detail::BoundMember<const C, R (C::*)(A...) const, R(A...)>;
    if constexpr (detail::check_function<Bound>()) return detail::compiled_at(where, Bound{member, &object}, std::move(options));
    else return detail::Refused();
}

/// @}

/// \cond wrong uses, which are told
template <class F, class Other, class... More>
    requires(!detail::is_member_function<F> && !std::is_convertible_v<Other, CompileOptions>)
auto compile(F&&, Other&&, More&&...) {
    static_assert(std::is_same_v<F, void>, "fastnp: compile takes a function and options: compile(f, {.name = \"f\"})");
    return detail::Refused();
}
template <class F, class Object, class... More>
    requires(detail::is_member_function<F> && !std::is_invocable_v<const detail::WithObject&, F, Object>)
auto compile(F&&, Object&&, More&&...) {
    static_assert(std::is_same_v<F, void>,
                  "fastnp: a member function is compiled with an object of its class, no pointer or temporary: compile(&Model::step, model)");
    return detail::Refused();
}
/// \endcond

}  // namespace fastnp
