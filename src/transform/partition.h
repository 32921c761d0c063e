// A computation in two stages, of which the second waits for inputs of its own (a cotangent): what is kept between them is as little as can be.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ir/graph.h"

namespace fastnp::transform {

struct Partition {
    std::vector<ir::Value> saved;    // values of the first stage that the second one takes
    std::int64_t bytes = 0;          // of these
    std::int64_t all_bytes = 0;      // if all was kept that the second stage reads
    std::size_t recomputed = 0;      // values of the first stage that the second one computes again
};

/// What to keep for `outputs`, which depend on the parameters `late`: a minimum cut of the graph between what is known early and what they need, where
/// cutting a value costs its bytes. Values that are costly to compute, or can't be computed twice, are never computed again.
/// With a budget, in bytes: as little as can be is computed again for what is kept to stay within it, folds and products among it. ValueError for a budget
/// that what can't be computed again is too large for.
Partition partition(const ir::Graph& graph, std::span<const ir::Value> late, std::span<const ir::Value> outputs,
                    std::optional<std::int64_t> budget = std::nullopt);

/// The graph of `outputs` alone: its parameters are `inputs`, in this order.
ir::Graph extract(const ir::Graph& graph, std::span<const ir::Value> inputs, std::span<const ir::Value> outputs);

}  // namespace fastnp::transform
