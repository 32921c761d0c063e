// Arrays that a program makes and then writes part by part.
#pragma once

#include "ir/graph.h"

namespace fastnp::pass {

/// Before simplify: an array of one value everywhere (numpy.empty, zeros) that is written to in parts along an axis, each element once at most, is their
/// concatenation: it need not be filled first, and its parts are computed like other values, where they lie in it.
void join_written_parts(ir::Graph& graph);

}  // namespace fastnp::pass
