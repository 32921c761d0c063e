// Reductions and scans by the catalogue's folds and scans, for functions that are made of them.
#pragma once

#include <span>

#include "api/primitives.h"

namespace fastnp::api {

using AxisList = SmallVector<std::int64_t>;

inline std::span<const std::int64_t> span_of(const AxisList& axes) { return {axes.data(), axes.size()}; }

/// Ascending axes counted from 0. As NumPy, axis 0 of a 0-d array means no axis. AxisError.
AxisList axes_of(const Axes& axes, int rank);
/// The sizes of the others.
Dims kept_shape(const Dims& shape, const AxisList& axes);
/// Whether there is nothing along them.
bool is_empty(const Dims& shape, const AxisList& axes);
/// TypeError unless where= is bool.
void check_where(const array& where);

/// A fold with the keyword arguments of numpy.ufunc.reduce.
array reduce(ir::Op fold, const Operand& operand, const FoldOptions& options);
/// A scan that says its dtype by its row.
array scan(ir::Op scan, const Operand& operand, const AxisOptions& options);

}  // namespace fastnp::api
