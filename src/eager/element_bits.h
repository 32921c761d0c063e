// Elements as so many bytes, for what only moves them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fastnp::eager {

struct WideBits {
    std::uint64_t words[2];
};

/// visit.template operator()<T>() with a type of an element's size.
template <class Visit>
decltype(auto) with_bits(std::size_t itemsize, Visit visit) {
    switch (itemsize) {
        case 1: return visit.template operator()<std::uint8_t>();
        case 2: return visit.template operator()<std::uint16_t>();
        case 4: return visit.template operator()<std::uint32_t>();
        case 8: return visit.template operator()<std::uint64_t>();
        default: return visit.template operator()<WideBits>();
    }
}

}  // namespace fastnp::eager
