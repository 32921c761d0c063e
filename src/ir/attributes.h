// What an op is told besides its operands: one struct for every op, so that equality, hashing and printing are written once.
// Which fields an op reads is said with its row in ops/*.def.
#pragma once

#include <string>

#include "fastnp/dtype.h"
#include "fastnp/scalar.h"
#include "fastnp/small_vector.h"
#include "shape/dim.h"

namespace fastnp::ir {

struct Attributes {
    SmallVector<std::int64_t> ints;  // axes, permutations, steps, flags
    shape::Dims dims;                   // sizes, which may be symbolic
    Scalar scalar;
    Dtype dtype = Dtype::bool_;

    friend bool operator==(const Attributes&, const Attributes&) = default;
};

/// "true", "-3", "1.5", "(0.0, 1.0)": the shortest text that reads back.
std::string text_of(const Scalar& scalar);

}  // namespace fastnp::ir
