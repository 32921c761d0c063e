// The precompiled kernels: any op of the catalogue on memory that is there. They serve eager execution, the "eager" backend,
// the steps of a plan that are not generated code, and the tests as an oracle. Shapes and dtypes are right when they come here:
// src/ops infers and checks them, casts are ops of their own. Strides are in bytes, of any sign, zero included.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/for_codegen.h"
#include "fastnp/dtype.h"
#include "ir/attributes.h"
#include "ops/catalogue.h"

namespace fastnp::eager {

/// Elements in memory that someone else owns.
struct View {
    void* data = nullptr;
    Dtype dtype = Dtype::bool_;
    SmallVector<std::int64_t> shape;
    SmallVector<std::int64_t> strides;  // bytes
};

/// Computes one op into `out`, whose shape and dtype are the op's result. Operands have the loop's dtype (maps: see
/// ops::Rule; folds and scans: the result's dtype, but bools that are
/// summed as int64; argfolds: any) and, for maps, shapes that are already broadcast to `out`'s (zero
/// strides). `out` may be the same memory as an operand of the same layout; other overlaps are the caller's to avoid.
/// Moves copy: out[i] = x[map(i)]. ops without a kernel (parameter) are an InternalError.
void run(ops::Op op, const ir::Attributes& attributes, std::span<const View> operands, const View& out);

/// out[i] = cast(in[i]) for any two dtypes and layouts of one shape. Copies when the dtypes are the same.
void copy(const View& in, const View& out);

/// A map op over `count` contiguous elements: what generated code calls for a map it has no instructions for. Null where the op has no
/// loop in `dtype`. Operands and result are contiguous and may be the same memory.
using SpanKernel = void (*)(const void* const* operands, void* out, std::int64_t count);
FASTNP_FOR_CODEGEN SpanKernel span_kernel(ops::Op op, Dtype dtype);
/// The same for a cast.
FASTNP_FOR_CODEGEN SpanKernel cast_kernel(Dtype from, Dtype to);

/// The elements of a move's result of this shape where they lie in its operand; nothing for a reshape that needs a copy. Starts are plain numbers.
std::optional<View> moved(ops::Op op, const ir::Attributes& attributes, const View& x, const Shape& shape);

/// IndexError in NumPy's words.
[[noreturn]] void throw_out_of_bounds(std::int64_t index, std::int64_t axis, std::int64_t length);

}  // namespace fastnp::eager
