// What the front end for C++ asks of a callable: its signature, and the state that it holds.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "fastnp/array.h"

namespace fastnp::detail {

/// Result and Arguments of a callable with one signature; nothing of what has none.
template <class F>
struct Callable {};
template <class F>
    requires requires { &F::operator(); }
struct Callable<F> : Callable<decltype(&F::operator())> {};
template <class R, class... A>
struct Callable<R(A...)> {
    using Result = std::remove_cvref_t<R>;
    using Arguments = std::tuple<std::remove_cvref_t<A>...>;
    static constexpr bool is_generic = false;
};
template <class R, class... A>
struct Callable<R (*)(A...)> : Callable<R(A...)> {};
template <class R, class... A>
struct Callable<R (*)(A...) noexcept> : Callable<R(A...)> {};
template <class R, class C, class... A>
struct Callable<R (C::*)(A...)> : Callable<R(A...)> {};
template <class R, class C, class... A>
struct Callable<R (C::*)(A...) noexcept> : Callable<R(A...)> {};
template <class R, class C, class... A>
struct Callable<R (C::*)(A...) const> : Callable<R(A...)> {};
template <class R, class C, class... A>
struct Callable<R (C::*)(A...) const noexcept> : Callable<R(A...)> {};

/// Whether F has an operator(): one, several, or a template of one. A class that has another one beside it can't name it then.
struct OtherCall {
    void operator()();
};
template <class F>
struct WithOtherCall : F, OtherCall {};
template <class F>
constexpr bool has_call() {
    if constexpr (std::is_class_v<F> && !std::is_final_v<F>) return !requires { &WithOtherCall<F>::operator(); };
    else return false;
}

/// The tuple of so many arrays.
template <std::size_t... I>
auto arrays_of(std::index_sequence<I...>) -> std::tuple<std::enable_if_t<(I >= 0), array>...>;
template <std::size_t N>
using Arrays = decltype(arrays_of(std::make_index_sequence<N>()));

/// Whether F is called with the parts of a tuple, as std::apply() does.
template <class F, class Tuple>
inline constexpr bool applies = false;
template <class F, class... A>
inline constexpr bool applies<F, std::tuple<A...>> = std::is_invocable_v<F, A&...>;
template <class F, class A, class B>
inline constexpr bool applies<F, std::pair<A, B>> = std::is_invocable_v<F, A&, B&>;
template <class F, class Tuple>
struct AppliedTo;
template <class F, class... A>
struct AppliedTo<F, std::tuple<A...>> : std::invoke_result<F, A&...> {};
template <class F, class Tuple>
using Applied = std::remove_cvref_t<typename AppliedTo<F, Tuple>::type>;

/// How many arrays a generic lambda takes; 0 where no number is the one.
template <class F, std::size_t N = 1>
constexpr std::size_t generic_arity() {
    constexpr std::size_t most = 8;
    if constexpr (N > most) return 0;
    else if constexpr (applies<F&, Arrays<N>>) return applies<F&, Arrays<N + 1>> ? 0 : N;
    else return generic_arity<F, N + 1>();
}
/// A generic lambda: all of its parameters stand for arrays.
template <class F>
    requires(!requires { &F::operator(); } && has_call<F>() && generic_arity<F>() > 0)
struct Callable<F> {
    using Arguments = Arrays<generic_arity<F>()>;
    using Result = Applied<F&, Arguments>;
    static constexpr bool is_generic = true;
};

template <class F>
concept HasSignature = requires { typename Callable<F>::Arguments; };

/// A member function for one object.
template <class Object, class Member, class Signature>
struct BoundMember;
template <class Object, class Member, class R, class... A>
struct BoundMember<Object, Member, R(A...)> {
    Member member;
    Object* object;
    R operator()(A... arguments) const { return (object->*member)(arguments...); }
};

template <class F>
inline constexpr bool is_bound = false;
template <class Object, class Member, class Signature>
inline constexpr bool is_bound<BoundMember<Object, Member, Signature>> = true;

/// What a callable holds by value, and may change by itself: its own bytes, or its object's.
template <class F>
auto& state_of(F& function) {
    if constexpr (is_bound<F>) return *function.object;
    else return function;
}
template <class F>
using StateOf = std::remove_reference_t<decltype(state_of(std::declval<F&>()))>;
/// Whether the state is known by its bytes.
template <class F>
inline constexpr bool has_plain_state = std::is_class_v<StateOf<F>> && std::is_trivially_copyable_v<StateOf<F>> && !std::is_empty_v<StateOf<F>>;

template <class M>
inline constexpr bool is_const_member = false;
template <class R, class C, class... A>
inline constexpr bool is_const_member<R (C::*)(A...) const> = true;
template <class R, class C, class... A>
inline constexpr bool is_const_member<R (C::*)(A...) const noexcept> = true;
/// Whether calls may change state that its bytes do not tell all of: of a mutable lambda that holds arrays, say.
template <class F>
constexpr bool may_change_itself() {
    if constexpr (has_plain_state<F> || !std::is_class_v<F>) return false;
    else if constexpr (is_bound<F>) return !std::is_const_v<StateOf<F>>;
    else if constexpr (requires { &F::operator(); }) return !is_const_member<decltype(&F::operator())>;
    else return !applies<const F&, typename Callable<F>::Arguments>;
}

/// Bytes of a callable's state, or nothing of those without.
template <class F>
using StateBytes = std::array<unsigned char, has_plain_state<F> ? sizeof(StateOf<F>) : 0>;
template <class F>
StateBytes<F> state_bytes(F& function) {
    StateBytes<F> bytes;
    if constexpr (has_plain_state<F>) std::memcpy(bytes.data(), &state_of(function), bytes.size());
    return bytes;
}
template <class F>
bool has_state(F& function, const StateBytes<F>& bytes) {
    if constexpr (has_plain_state<F>) return std::memcmp(bytes.data(), &state_of(function), bytes.size()) == 0;
    else return true;
}
template <class F>
void set_state(F& function, const StateBytes<F>& bytes) {
    if constexpr (has_plain_state<F> && !std::is_const_v<StateOf<F>>) {
        if (!has_state(function, bytes)) std::memcpy(static_cast<void*>(&state_of(function)), bytes.data(), bytes.size());
    }
}

/// A callable for the time of a recording, which leaves it as it is: what it changes of its state is taken back at the end.
template <class F>
class Observed {
public:
    explicit Observed(F& function) : original_(function), before_(state_bytes(function)) {
        if constexpr (copies) copy_.emplace(function);
        if constexpr (may_change_itself<F>()) bytes_ = bytes_now();
    }
    ~Observed() { set_state(original_, before_); }
    Observed(const Observed&) = delete;
    Observed& operator=(const Observed&) = delete;

    F& function() {
        if constexpr (copies) return *copy_;
        else return original_;
    }
    /// What its state is by now, if it is another one that the bytes tell all of.
    std::optional<StateBytes<F>> next() {
        if (has_state(original_, before_)) return std::nullopt;
        return state_bytes(original_);
    }
    /// Whether it has changed in ways that nothing tells all of.
    bool has_changed() {
        if constexpr (may_change_itself<F>()) return bytes_now() != bytes_;
        else return false;
    }
    /// Whether such a change is there to stay.
    static constexpr bool is_in_place = !(may_change_itself<F>() && !is_bound<F> && std::is_copy_constructible_v<F>);

private:
    static constexpr bool copies = !is_in_place;
    using Bytes = std::vector<unsigned char>;
    Bytes bytes_now() {
        Bytes bytes(sizeof(StateOf<F>));
        std::memcpy(bytes.data(), static_cast<const void*>(&state_of(function())), bytes.size());
        return bytes;
    }

    F& original_;
    StateBytes<F> before_;
    std::optional<F> copy_;
    Bytes bytes_;
};

}  // namespace fastnp::detail
