// Values of any dtype between the threads of a warp, between blocks, and as vectors in memory.
#pragma once

#include <cstddef>

#include "threads.h"

namespace fastnp::kernels {

/// The 32-bit words that a value is told by; smaller ones are part of one.
template <class T>
constexpr int words_of_value = sizeof(T) <= 4 ? 1 : static_cast<int>(sizeof(T) / 4);

template <class T>
struct ValueWords {
    std::uint32_t word[words_of_value<T>] = {};
};
template <class T>
[[gnu::always_inline]] inline ValueWords<T> words_of(const T& value) {
    ValueWords<T> made;
    __builtin_memcpy(made.word, &value, sizeof(T));
    return made;
}
template <class T>
[[gnu::always_inline]] inline T value_of(const ValueWords<T>& words) {
    T value;
    __builtin_memcpy(&value, words.word, sizeof(T));
    return value;
}

/// The value of the thread of the warp that is so many places before; one's own where there is none.
template <class T>
[[gnu::always_inline]] inline T value_from_before(const T& value, int places) {
    ValueWords<T> words = words_of(value);
#pragma unroll
    for (std::uint32_t& word : words.word) word = from_before(word, places);
    return value_of<T>(words);
}
/// The value of the warp's last thread.
template <class T>
[[gnu::always_inline]] inline T value_of_last(const T& value) {
    ValueWords<T> words = words_of(value);
#pragma unroll
    for (std::uint32_t& word : words.word) word = of_thread(word, warp - 1);
    return value_of<T>(words);
}

/// Tells other blocks a value, by words that are 0 until then: half of each says so, and what is told needs no order of other memory.
template <class T>
[[gnu::always_inline]] inline void say(std::uint64_t* words, const T& value) {
    const ValueWords<T> said = words_of(value);
#pragma unroll
    for (int i = 0; i < words_of_value<T>; ++i) __atomic_store_n(words + i, std::uint64_t{1} << 32 | said.word[i], __ATOMIC_RELAXED);
}
/// Whether a value has been told; it is in `value` then.
template <class T>
[[gnu::always_inline]] inline bool has_said(const std::uint64_t* words, T& value) {
    ValueWords<T> said;
    bool is_there = true;
#pragma unroll
    for (int i = 0; i < words_of_value<T>; ++i) {
        const std::uint64_t word = __atomic_load_n(words + i, __ATOMIC_RELAXED);
        said.word[i] = static_cast<std::uint32_t>(word);
        is_there = is_there && word >> 32 != 0;
    }
    value = value_of<T>(said);
    return is_there;
}

/// As many elements as 16 bytes have room for, moved at once.
using Vector = std::uint32_t __attribute__((vector_size(16)));
template <class T, std::size_t count>
[[gnu::always_inline]] inline void load_vector(T (&to)[count], const char* from) {
    static_assert(sizeof to == sizeof(Vector));
    const Vector vector = *reinterpret_cast<const Vector*>(from);
    __builtin_memcpy(to, &vector, sizeof vector);
}
template <class T, std::size_t count>
[[gnu::always_inline]] inline void store_vector(char* to, const T (&from)[count]) {
    static_assert(sizeof from == sizeof(Vector));
    Vector vector;
    __builtin_memcpy(&vector, from, sizeof vector);
    *reinterpret_cast<Vector*>(to) = vector;
}

}  // namespace fastnp::kernels
