// Kernels over strided arrays on a device that are written by hand, for what is done around the calls of libraries.
#pragma once

#include <span>

#include "device/backend.h"
#include "eager/eager.h"
#include "nest/kernel.h"

namespace fastnp::plan {

/// What a kernel does at each point of its axes.
struct HandWritten {
    const char* name;  // another one for each
    /// The value to store, of the result's dtype, of elements that were loaded.
    nest::ExprId (*compute)(nest::Kernel& kernel, std::span<const nest::ExprId> elements, Dtype result);
    /// The map op by which the values of all points are joined to one; count: none, each is stored.
    ir::Op fold = ir::Op::count;
};

/// Runs it over up to three operands of one shape, whose addresses are the device's, into `out` of that shape, or, of a fold, of no axes. `out` shares no
/// memory with the operands; no size is 0. There is one kernel for all arrays of so many axes and these dtypes, compiled when first needed.
void run_by_hand(device::Backend& backend, const HandWritten& what, std::span<const eager::View> operands, const eager::View& out);

/// Expressions to compute with.
nest::ExprId index_along(nest::Kernel& kernel, std::size_t axis);
nest::ExprId constant_of(nest::Kernel& kernel, Dtype dtype, std::int64_t value);
nest::ExprId cast_to(nest::Kernel& kernel, nest::ExprId value, Dtype dtype);
nest::ExprId applied(nest::Kernel& kernel, ir::Op op, nest::ExprId x);
/// A map op over operands of one dtype, which is the result's too, unless it is a comparison.
nest::ExprId applied(nest::Kernel& kernel, ir::Op op, nest::ExprId x, nest::ExprId y, bool is_comparison = false);
nest::ExprId selected(nest::Kernel& kernel, nest::ExprId condition, nest::ExprId x, nest::ExprId otherwise);

}  // namespace fastnp::plan
