// Products of matrices that loop kernels compute.
#pragma once

#include <functional>

#include "ir/graph.h"

namespace fastnp::pass {

/// Writes products as folds of elementwise products, which fuse with what they read and what reads them: those with a vector or of a few terms, which are
/// as fast as memory is anyhow, and those of dtypes that `has_products` has none for, but for the inexact ones. For devices: on the host BLAS does the
/// former, and the latter are precompiled.
void fold_products(ir::Graph& graph, const std::function<bool(Dtype)>& has_products);

}  // namespace fastnp::pass
