// NumPy functions that are compositions of others: diagonals and triangles of matrices.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "fastnp/array.h"
#include "fastnp/ops.h"

namespace fastnp {

/// \addtogroup rearranging
/// @{

/// numpy.diagonal: what lies on a diagonal of two axes, `offset` places above the main one, as the last axis. A view that may not be written to; while
/// recording, of what has neither rows nor columns one behind the other in memory, a copy. ValueError for fewer axes than two, AxisError.
FASTNP_API array diagonal(const array& x, std::int64_t offset = 0, int axis1 = 0, int axis2 = 1);
/// numpy.trace, whose name is a namespace here: the sum of a diagonal, in the dtypes of sum(), of which `options` may say `dtype` and `out`.
FASTNP_API array diagonal_sum(const array& x, std::int64_t offset = 0, int axis1 = 0, int axis2 = 1, const FoldOptions& options = {});
/// numpy.diag: the diagonal of a matrix, or the matrix that has a vector on its k-th diagonal, and zeros elsewhere. ValueError for other numbers of axes.
FASTNP_API array diag(const array& x, std::int64_t k = 0);
/// numpy.diagflat: the matrix that has all elements on its k-th diagonal, and zeros elsewhere.
FASTNP_API array diagflat(const array& x, std::int64_t k = 0);
/// numpy.tril: without what is above the k-th diagonal, where zeros are. Of the last two axes; of one axis, as a row for all. ValueError for no axes.
FASTNP_API array tril(const array& x, std::int64_t k = 0);
/// numpy.triu: without what is below the k-th diagonal.
FASTNP_API array triu(const array& x, std::int64_t k = 0);

/// @}

/// \addtogroup making
/// @{

/// numpy.tri: ones at and below the k-th diagonal, zeros elsewhere; as many columns as rows unless given.
FASTNP_API array tri(std::int64_t rows, std::optional<std::int64_t> columns = std::nullopt, std::int64_t k = 0, Dtype dtype = float64);
/// numpy.tril_indices: rows and columns (int64) of what lies at and below the k-th diagonal.
FASTNP_API std::pair<array, array> tril_indices(std::int64_t rows, std::int64_t k = 0, std::optional<std::int64_t> columns = std::nullopt);
/// numpy.triu_indices: the same at and above it.
FASTNP_API std::pair<array, array> triu_indices(std::int64_t rows, std::int64_t k = 0, std::optional<std::int64_t> columns = std::nullopt);

/// @}

}  // namespace fastnp
