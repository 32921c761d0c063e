// Elements of one real dtype (FASTNP_DTYPE, the enumerator) as numbers whose order as unsigned ones is NumPy's order of elements.
#pragma once

#include "fastnp/dtype.h"
#include "threads.h"

namespace fastnp::kernels {

template <std::size_t bytes>
using Unsigned = std::conditional_t<bytes == 1, std::uint8_t,
                                    std::conditional_t<bytes == 2, std::uint16_t, std::conditional_t<bytes == 4, std::uint32_t, std::uint64_t>>>;
using T = element_of<Dtype::FASTNP_DTYPE>;
using Key = Unsigned<sizeof(T)>;

constexpr auto key_sign = static_cast<Key>(Key{1} << (8 * sizeof(T) - 1));

/// NaN of either sign last, and zeros of both signs equal.
[[gnu::always_inline]] inline Key key_of(T element) {
    const auto bits = __builtin_bit_cast(Key, element);
    if constexpr (kind_of(Dtype::FASTNP_DTYPE) == 'f') {
        const auto infinite = __builtin_bit_cast(Key, static_cast<T>(__builtin_inff()));
        if (static_cast<Key>(bits & ~key_sign) > infinite) return static_cast<Key>(-1);
        if (bits == key_sign) return key_sign;
        return static_cast<Key>((bits & key_sign) != 0 ? ~bits : bits | key_sign);
    }
    return kind_of(Dtype::FASTNP_DTYPE) == 'i' ? static_cast<Key>(bits ^ key_sign) : bits;
}
/// An element with that key: NaN, and the positive zero, for those that share it.
[[gnu::always_inline]] inline T element_of_key(Key key) {
    if constexpr (kind_of(Dtype::FASTNP_DTYPE) == 'f') {
        key = static_cast<Key>((key & key_sign) != 0 ? key ^ key_sign : ~key);
    } else if constexpr (kind_of(Dtype::FASTNP_DTYPE) == 'i') {
        key = static_cast<Key>(key ^ key_sign);
    }
    return __builtin_bit_cast(T, key);
}

}  // namespace fastnp::kernels
