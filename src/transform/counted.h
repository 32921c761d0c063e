// Numbers of iterations that are Python's in the program as written: exact, where an array's are of 64 bits, and less than arrays where dtypes are found.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ir/graph.h"

namespace fastnp::transform {

/// While it lives, a value stands for Python's integers from `low` to `high`.
class Counted {
public:
    Counted(ir::Value value, std::int64_t low, std::int64_t high);
    ~Counted();
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
};

/// TypeError where one of the values from number `first` on may be something else than Python makes of all that are counted now: integers beyond 2**53,
/// divisions by zero, powers, shifts, arithmetic with booleans, or anything in narrow dtypes.
void check_counted(const ir::Graph& graph, std::size_t first);

}  // namespace fastnp::transform
