// What ops cost, as the catalogue's columns say it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/catalogue.h"

namespace fastnp::ops {

/// About how many additions an elementwise op takes at a point.
int additions(Op op);

/// Floating-point operations of an elementwise op at a point, in additions; 0 in dtypes that are no floating-point or complex numbers.
double flops_at_point(Op op, Dtype dtype);

/// An array that an op reads or gives.
struct Sized {
    Dtype dtype;
    std::vector<std::int64_t> shape;
};
/// Floating-point operations of an op over whole arrays, in additions; negative: nobody knows before it is done.
double flops_of(Op op, std::span<const Sized> operands, const Sized& result);

}  // namespace fastnp::ops
