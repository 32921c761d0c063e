// What a recording computes and its compiled code does not, since no result depends on it: NumPy would tell of its floating-point errors.
#pragma once

#include "ir/graph.h"

namespace fastnp::pass {

/// Whether there is any such value, or elements of one: those that are not read (a part of an array), or that make no difference (false & x). Of a graph
/// as it was recorded, and the bodies of its loops.
bool leaves_out_float_errors(const ir::Graph& graph);

}  // namespace fastnp::pass
