// Which results share memory. The graph says what values are; whose memory they lie in is said with its outputs (Graph::owners), because
// `return x + 1, x + 1` gives two arrays, `y = x + 1; return y, y.T` two views of one, and `x * 1` none of x's memory.
#pragma once

#include "ir/graph.h"

namespace fastnp::pass {

/// Before simplify: outputs that view one array keep it in common.
void protect_shared(ir::Graph& graph);

/// After simplify: outputs with memory of their own do not lie in an argument's, nor in another's.
void separate(ir::Graph& graph);

/// A copy that is not the value it copies: a cast to the same dtype with a number. No rewriting looks through it.
bool is_copy(ir::Value value);

}  // namespace fastnp::pass
