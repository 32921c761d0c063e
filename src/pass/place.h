// Which results share memory, and how they lie in it. The graph says what values are; where outputs lie is said with them (Graph::places), because
// `return x + 1, x + 1` gives two arrays, `y = x + 1; return y, y.T` two views of one, `x * 1` none of x's memory, and `x.T + 1` Fortran order.
#pragma once

#include <unordered_map>
#include <utility>

#include "ir/graph.h"

namespace fastnp::pass {

/// Before simplify: each output becomes a view of a copy that lies where it shall.
void place_outputs(ir::Graph& graph);

/// After simplify: copies go of what lies in memory of its own as it is.
void drop_copies(ir::Graph& graph);

/// Results that were written to, where the memory that they showed is a value by now: they stay arrays of their own, whatever else is equal to it. Those
/// that showed the same memory show the same one still.
class PlacedResults {
public:
    explicit PlacedResults(ir::Graph& graph) : graph_(graph) {}
    /// A result; `memory`: what it showed; `now`: the value that this is.
    ir::Value placed(ir::Value result, ir::Value memory, ir::Value now, ir::Place& place);

private:
    ir::Graph& graph_;
    std::unordered_map<ir::Value, std::pair<ir::Value, std::int64_t>> copies_;  // with their owners
};

/// A copy that is not the value it copies: a cast to the same dtype with a number. No rewriting looks through it.
bool is_copy(ir::Value value);

}  // namespace fastnp::pass
