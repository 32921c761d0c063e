// Which expressions of a kernel are computed where.
#pragma once

#include <cstdint>
#include <vector>

#include "base/for_codegen.h"
#include "nest/kernel.h"

namespace fastnp::interpret {

inline std::int64_t value_of(shape::Dim dim, const std::int64_t* sizes) { return dim.is_constant() ? dim.value() : sizes[dim.id()]; }

struct Lists {
    using List = std::vector<nest::ExprId>;  // arguments before users
    FASTNP_FOR_CODEGEN explicit Lists(const nest::Kernel& kernel);

    List outer_point;          // what stays the same for all of an outer point, as far as it is known before folds are
    std::vector<List> stages;  // what a stage needs at each of its inner points, besides
    List outer_stores;         // what the outer stores need, besides
};

}  // namespace fastnp::interpret
