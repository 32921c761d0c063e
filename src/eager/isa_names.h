// The levels of isa.h by name, as FASTNP_ISA and exported functions have them.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "eager/isa.h"

namespace fastnp::eager {

/// In the order of Isa.
inline constexpr std::array<std::string_view, 4> isa_names{"scalar", "base", "v3", "v4"};

constexpr std::string_view name_of(Isa isa) { return isa_names[static_cast<std::size_t>(isa)]; }

constexpr std::optional<Isa> isa_named(std::string_view name) {
    for (std::size_t i = 0; i < isa_names.size(); ++i) {
        if (isa_names[i] == name) return static_cast<Isa>(i);
    }
    return std::nullopt;
}

}  // namespace fastnp::eager
