// Structures of arrays and plain values (tuples, vectors and structs of them), walked at compile time.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "fastnp/array.h"
#include "fastnp/scalar.h"

namespace fastnp::detail {

/// Converts to anything: counts the members of an aggregate.
struct AnyMember {
    template <class T>
    operator T() const;  // NOLINT: for overload resolution alone
};

template <class T, std::size_t... I>
constexpr bool constructible_from_members(std::index_sequence<I...>) {
    return requires { T{((void)I, AnyMember{})...}; };
}
inline constexpr std::size_t most_members = 12;
/// One more than the most: there are too many.
template <class T, std::size_t N = most_members + 1>
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
    static_assert(count <= most_members,
                  "fastnp: a struct among arguments or results has more than 12 members: put some of them in a struct of their own");
    if constexpr (count == 0 || count > most_members) {
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

template <class T>
inline constexpr bool is_plain = std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, std::string> || std::is_same_v<T, Scalar> ||
                                 std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

#define FASTNP_WALKED                                                                                                                    \
    "fastnp: arguments and results of functions are arrays, plain values, and tuples, vectors and structs of these (no maps, pointers, " \
    "functions, or classes with private members)"

template <class T, class... Seen>
constexpr bool can_walk();
template <class... Seen, class... T>
constexpr bool can_walk_all(const std::tuple<T...>*) {
    return (can_walk<std::remove_cvref_t<T>, Seen...>() && ...);
}
/// Whether walk() can visit a structure of this type. `Seen`: the types that it is a part of.
template <class T, class... Seen>
constexpr bool can_walk() {
    constexpr auto types = [](auto&... part) { return static_cast<const std::tuple<std::remove_cvref_t<decltype(part)>...>*>(nullptr); };
    if constexpr (std::is_same_v<T, array> || is_plain<T> || std::is_same_v<T, std::optional<array>> || (std::is_same_v<T, Seen> || ...)) {
        return true;
    } else if constexpr (is_tuple<T>) {
        return can_walk_all<T, Seen...>(decltype(std::apply(types, std::declval<T&>()))(nullptr));
    } else if constexpr (is_sequence<T>) {
        return can_walk<typename T::value_type, T, Seen...>();
    } else if constexpr (std::is_aggregate_v<T> && !std::is_array_v<T>) {
        return can_walk_all<T, Seen...>(decltype(with_members(std::declval<T&>(), types))(nullptr));
    } else {
        return false;
    }
}

/// Visits the leaves of a structure: `leaf(array&)`, `plain(value)`, `length(n)` before a sequence.
template <class T, class Leaf, class Plain, class Length>
void walk(T& value, Leaf& leaf, Plain& plain, Length& length) {
    using Bare = std::remove_cv_t<T>;
    if constexpr (std::is_same_v<Bare, array>) {
        leaf(value);
    } else if constexpr (is_plain<Bare>) {
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
        static_assert(can_walk<Bare>(), FASTNP_WALKED);
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

}  // namespace fastnp::detail
