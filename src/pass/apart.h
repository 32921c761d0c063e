// Why fusion leaves two steps apart.
#pragma once

#include <cstdint>
#include <string_view>

namespace fastnp::pass {

enum class Apart : std::uint8_t {
    none,
    unfused,
    precompiled,
    after_precompiled,
    other_points,
    other_axes,
    writes,
    whole_first,
    elsewhere,
    between,
    too_long,
    blocks,
};

/// In words, as the end of "it is no part of the other, as"; empty for none.
std::string_view text_of(Apart apart);

}  // namespace fastnp::pass
