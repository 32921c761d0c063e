// out= of reductions, scans and argmax: what it makes them compute in, the shapes it may have, and storing there.
#pragma once

#include <optional>
#include <span>

#include "api/primitives.h"
#include "ops/infer.h"

namespace fastnp::api {

/// The dtype= of a reduction by `combine`: as wanted; else with out= the loop's for operands of its dtype and the source's, as in numpy.ufunc.reduce; else
/// none.
std::optional<Dtype> wanted_dtype(ir::Op combine, Dtype source, const std::optional<Dtype>& wanted, const std::optional<array>& out);

/// What a reduction of x along axes was asked for, as errors tell it.
struct Reduced {
    ir::Op combine;
    const array& x;
    std::span<const std::int64_t> axes;
    bool keepdims = false;
};

/// The result in out=, cast by any rule, or itself. ValueError, as numpy.ufunc.reduce's, where out is read-only, or not of the result's shape.
array store_reduced(const array& result, const std::optional<array>& out, const Reduced& of);

/// ... of a scan of x along an axis. ValueError where out is not of that shape; axes of one element that are not scanned may be longer in out
/// (numpy.ufunc.accumulate).
array store_scanned(const array& result, const std::optional<array>& out, std::int64_t axis);

/// ... of the op argmax or argmin. ValueError where out is not of that shape, TypeError where its dtype can't be cast to int64 (numpy.argmax).
array store_places(const array& result, const std::optional<array>& out, ir::Op op);

}  // namespace fastnp::api
