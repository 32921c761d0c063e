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

/// Result and Arguments of a callable with one signature.
template <class F>
struct Callable {
    static_assert(!std::is_same_v<F, F>,
                  "fastnp: the function's argument types must be known: a generic lambda (auto), a template or an overloaded operator() has none; write "
                  "them, as in [](array x) { ... }");
    using Result = array;
    using Arguments = std::tuple<>;
};
template <class F>
    requires requires { &F::operator(); }
struct Callable<F> : Callable<decltype(&F::operator())> {};
template <class R, class... A>
struct Callable<R(A...)> {
    using Result = std::remove_cvref_t<R>;
    using Arguments = std::tuple<std::remove_cvref_t<A>...>;
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

/// Whether values make the arguments of a call; says what is wrong, by the first thing.
template <class Arguments, class... A>
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
        static_assert(fits, "fastnp: an argument is of another type than the function takes");
        return fits;
    }
}

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
    else return !is_const_member<decltype(&F::operator())>;
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
