// Which results share memory, and how they lie in it. The graph says what values are; where outputs lie is said with them (Graph::places), because
// `return x + 1, x + 1` gives two arrays, `y = x + 1; return y, y.T` two views of one, `x * 1` none of x's memory, and `x.T + 1` Fortran order.
#pragma once

#include "ir/graph.h"

namespace fastnp::pass {

/// Before simplify: each output becomes a view of a copy that lies where it shall.
void place_outputs(ir::Graph& graph);

/// After simplify: copies go of what lies in memory of its own as it is.
void drop_copies(ir::Graph& graph);

/// A copy that is not the value it copies: a cast to the same dtype with a number. No rewriting looks through it.
bool is_copy(ir::Value value);

}  // namespace fastnp::pass
