// Elements at places in sorted order, found without sorting: by the bits of keys from the highest down. Elements that have the bits found so far are
// counted by the next ones; the count says which bits the wanted element has, and how many of those elements come before it.
#pragma once

#include "threads.h"

namespace fastnp::kernels {

constexpr int select_bins = codegen::select_bins;
constexpr int most_wanted = codegen::most_selected;

/// Of a wanted element: the highest bits of its key, as far as they are known, and its place among the elements that have them.
struct Wanted {
    std::uint64_t bits, place;
};

}  // namespace fastnp::kernels
