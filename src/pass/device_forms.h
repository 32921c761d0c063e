// What a device does in another way than the host.
#pragma once

#include <functional>

#include "ir/graph.h"

namespace fastnp::pass {

/// What the libraries of a device have.
struct DeviceLibraries {
    std::function<bool(Dtype)> has_products;
    std::function<bool()> has_transforms;
};

/// Writes ops anew that loop kernels do better on a device than precompiled ones:
///
/// - Products of matrices as folds of elementwise products, which fuse with what they read and what reads them: those with a vector or of a few terms,
///   which are as fast as memory is anyhow, and those of dtypes that are not inexact, where there are no products of such ones. (On the host BLAS does the
///   former, and the latter are precompiled.)
/// - What is added to a product of matrices that nothing else reads, as a third operand of the product: arrays that are there anyhow (or their views),
/// where
///   no kernel reads the sum. (Libraries add it before they store the product, rounded as an addition of its own would; so not of the 16-bit floats.)
/// - The scale of a Fourier transform as a product with what libraries give, which has none.
void write_for_device(ir::Graph& graph, const DeviceLibraries& libraries);

}  // namespace fastnp::pass
