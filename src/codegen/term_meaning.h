// What ops mean, as terms: the catalogue's meanings a third time, beside precompiled kernels and LLVM IR (codegen/meaning). Where a meaning has no terms,
// a map is a function of its own, which is known by its name alone.
#pragma once

#include <span>

#include "codegen/terms.h"
#include "fastnp/dtype.h"
#include "fastnp/scalar.h"
#include "ir/op.h"

namespace fastnp::codegen {

/// An element as codegen::Value has it: a bool is an i1, 16-bit floats are floats that hold representable numbers.
struct TermElement {
    Terms* terms = nullptr;
    Dtype dtype = Dtype::bool_;
    Term re = 0;
    Term im = 0;  // of complex numbers
    bool missing() const { return terms == nullptr; }
};

/// The type of a part of an element, and of one in memory.
TermType type_of(Dtype dtype);
TermType memory_type_of(Dtype dtype);

TermElement constant_of(Terms& terms, const Scalar& scalar, Dtype dtype);
/// A part as it lies in memory, and back.
Term to_memory(Terms& terms, Term part, Dtype dtype);
Term from_memory(Terms& terms, Term part, Dtype dtype);
TermElement apply(ir::Op op, Dtype compute, Dtype result, std::span<const TermElement> args);

}  // namespace fastnp::codegen
