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

/// Whether each of so many members is one of its own: the elements of a C array are counted one by one. (Those that walk() visits can be made of {}.)
template <class T, std::size_t N>
constexpr bool are_apart() {
    if constexpr (N == 0) return true;
    else if constexpr (N == 1) return requires { T{{}}; };
    else if constexpr (N == 2) return requires { T{{}, {}}; };
    else if constexpr (N == 3) return requires { T{{}, {}, {}}; };
    else if constexpr (N == 4) return requires { T{{}, {}, {}, {}}; };
    else if constexpr (N == 5) return requires { T{{}, {}, {}, {}, {}}; };
    else if constexpr (N == 6) return requires { T{{}, {}, {}, {}, {}, {}}; };
    else if constexpr (N == 7) return requires { T{{}, {}, {}, {}, {}, {}, {}}; };
    else if constexpr (N == 8) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}}; };
    else if constexpr (N == 9) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}}; };
    else if constexpr (N == 10) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; };
    else if constexpr (N == 11) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; };
    else return N == most_members && requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; };
}
/// Converts to the bases of T.
template <class T>
struct AnyBase {
    template <class U>
        requires(std::is_base_of_v<U, T> && !std::is_same_v<U, T>)
    operator U() const;  // NOLINT: for overload resolution alone
};
/// Whether with_members() can take an aggregate apart.
template <class T>
constexpr bool has_members() {
    if constexpr (!std::is_aggregate_v<T> || std::is_array_v<T>) return false;
    else return are_apart<T, member_count<T>()>() && !requires { T{AnyBase<T>{}}; };
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
inline constexpr bool is_sequence<std::vector<T>> = !std::is_same_v<T, bool>;
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

#define FASTNP_WALKED_TYPES                                                                                                                     \
    "arrays, plain values, and tuples, vectors and structs (of up to 12 members) of these (no maps, pointers, functions, std::vector<bool>, C " \
    "arrays, or classes with bases, private or const members)"

/// The types of the parts of a tuple or an aggregate, as they are declared.
inline constexpr auto part_types = [](auto&... part) { return static_cast<const std::tuple<std::remove_reference_t<decltype(part)>...>*>(nullptr); };
template <class T>
constexpr auto parts_of() {
    if constexpr (is_tuple<T>) return decltype(std::apply(part_types, std::declval<T&>()))(nullptr);
    else return decltype(with_members(std::declval<T&>(), part_types))(nullptr);
}
template <class T>
constexpr bool has_parts() {
    if constexpr (is_tuple<T>) return true;
    else return has_members<T>();
}

template <class T, class... Seen>
constexpr bool can_walk();
template <class... Seen, class... T>
constexpr bool can_walk_all(const std::tuple<T...>*) {
    return ((!std::is_const_v<T> && can_walk<T, Seen...>()) && ...);
}
/// Whether walk() can visit a structure of this type. `Seen`: the types that it is a part of.
template <class T, class... Seen>
constexpr bool can_walk() {
    if constexpr (std::is_same_v<T, array> || is_plain<T> || std::is_same_v<T, std::optional<array>> || (std::is_same_v<T, Seen> || ...)) return true;
    else if constexpr (is_sequence<T>) return can_walk<typename T::value_type, T, Seen...>();
    else if constexpr (has_parts<T>()) return can_walk_all<T, Seen...>(parts_of<T>());
    else return false;
}

inline constexpr int some_leaves = -1;
template <class T, class... Seen>
constexpr int leaf_count();
template <class... Seen, class... T>
constexpr int leaf_count_of_all(const std::tuple<T...>*) {
    int all = 0;
    ((all = all == some_leaves || leaf_count<T, Seen...>() == some_leaves ? some_leaves : all + leaf_count<T, Seen...>()), ...);
    return all;
}
/// How many arrays a structure has; some_leaves where its type does not tell.
template <class T, class... Seen>
constexpr int leaf_count() {
    if constexpr (std::is_same_v<T, array>) return 1;
    else if constexpr (is_plain<T>) return 0;
    else if constexpr (std::is_same_v<T, std::optional<array>> || (std::is_same_v<T, Seen> || ...)) return some_leaves;
    else if constexpr (is_sequence<T>) return leaf_count<typename T::value_type, T, Seen...>() == 0 ? 0 : some_leaves;
    else if constexpr (has_parts<T>()) return leaf_count_of_all<T, Seen...>(parts_of<T>());
    else return 0;
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
        static_assert(can_walk<Bare>(), "fastnp: a type is none of " FASTNP_WALKED_TYPES);
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
