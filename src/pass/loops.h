// Loops that compute what other loops compute besides: a derivative's loop takes the turns of the function's own along.
#pragma once

#include <span>
#include <unordered_map>

#include "ir/graph.h"

namespace fastnp::pass {

/// Loops by the one that gives their arrays, too, and depends on them in no way; by way of others as well.
std::unordered_map<ir::Value, ir::Value> covered_loops(const ir::Graph& graph, std::span<const ir::Value> values);

/// Which array of the other loop an array of a covered one is, by their numbers.
std::int64_t covering_number(const ir::Graph& graph, ir::Value loop, ir::Value other, std::int64_t number);

}  // namespace fastnp::pass
