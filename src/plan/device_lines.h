// Ops along one axis on a device, a line at a time. Addresses are the device's.
#pragma once

#include "device/backend.h"
#include "eager/eager.h"

namespace fastnp::plan {

/// The ops `argmax` and `argmin`.
void argfold_on_device(device::Backend& backend, ops::Op op, const ir::Attributes& attributes, const eager::View& x, const eager::View& out);

/// Running folds. `out` may be x. Lines of up to 32 elements, and many that lie side by side, are folded in order; others in tiles, so that sums of
/// inexact dtypes are rounded less often than NumPy's. On a device arrays of one size and layout are always folded in the same way.
void scan_on_device(device::Backend& backend, ops::Op op, const ir::Attributes& attributes, const eager::View& x, const eager::View& out);

/// The ops `sort` and `argsort`, both stable.
void sort_on_device(device::Backend& backend, ops::Op op, const ir::Attributes& attributes, const eager::View& x, const eager::View& out);
/// Both of contiguous lines along the last axis: elements, and their places (int64), each in memory of its own.
void sort_with_order(device::Backend& backend, const eager::View& x, void* elements, void* places);

/// The op `searchsorted`.
void search_on_device(device::Backend& backend, const ir::Attributes& attributes, const eager::View& sorted, const eager::View& values,
                      const eager::View& out);

}  // namespace fastnp::plan
