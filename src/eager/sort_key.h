// Whole numbers in the order of a real dtype's elements.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "eager/order.h"

namespace fastnp::eager {

template <std::size_t size>
using BitsOf =
    std::conditional_t<size == 1, std::uint8_t, std::conditional_t<size == 2, std::uint16_t, std::conditional_t<size == 4, std::uint32_t, std::uint64_t>>>;

template <class T>
using KeyOf = BitsOf<sizeof(T)>;

template <class T>
constexpr KeyOf<T> top_bit = static_cast<KeyOf<T>>(KeyOf<T>{1} << (8 * sizeof(T) - 1));

template <class T>
constexpr bool is_whole = std::is_integral_v<T>;

/// The key of an element: of numbers below zero the bits turned round. NaN's is the largest, the zeros' is one.
template <class T>
KeyOf<T> key_of(T x) {
    using Key = KeyOf<T>;
    const Key bits = std::bit_cast<Key>(x);
    if constexpr (std::is_same_v<T, bool> || std::is_unsigned_v<T>) {
        return bits;
    } else if constexpr (is_whole<T>) {
        return static_cast<Key>(bits ^ top_bit<T>);
    } else {
        if (is_nan(x)) return static_cast<Key>(~Key{0});
        return bits > top_bit<T> ? static_cast<Key>(~bits) : static_cast<Key>(bits | top_bit<T>);
    }
}

/// The element that has the key; of the zeros the first one.
template <class T>
T element_of_key(KeyOf<T> key) {
    using Key = KeyOf<T>;
    if constexpr (std::is_same_v<T, bool>) return key != 0;
    else if constexpr (std::is_unsigned_v<T>) return key;
    else if constexpr (is_whole<T>) return std::bit_cast<T>(static_cast<Key>(key ^ top_bit<T>));
    else return std::bit_cast<T>(key < top_bit<T> ? static_cast<Key>(~key) : static_cast<Key>(key ^ top_bit<T>));
}

}  // namespace fastnp::eager
