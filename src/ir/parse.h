// Graphs from text: what Graph::text() gives.
#pragma once

#include <string_view>

#include "ir/graph.h"

namespace fastnp::ir {

/// The graph of a text. `parse(text).text() == text` for the texts of graphs; written by hand, a text may have other names of values, empty lines and
/// comments (`; ...`). ValueError that names line and column where it is no graph; whether dtypes and shapes are those that the ops give is for
/// ops::verify to say.
///
///     size n = 8 in 0..100                  a symbol: its value at hand, its range
///     found size u0 = 3                     one that is found while a plan runs
///     size n//2                             (puts it before other sizes)
///     guard n - 8 >= 0                      also `== 0`, `!= 0`
///     %0 = parameter (0) : float64[n]       op, operands, scalar, (ints), [dims], dtype
///     %1 = constant 2.5 : float64[n]
///     %2 = multiply %0, %1 : float64[n]     ; model.py:12 in loss
///     effects %2
///     return %2 at 0 of %2 (0)              in the memory of %2, whose owner is 0, its axes in this order
///     call 0: "numpy.median" "structure" (float64[n])
///     body 0 (states 1, parts 0, constants 1, collected 0) {
///       ...
///     }
Graph parse(std::string_view text);

}  // namespace fastnp::ir
