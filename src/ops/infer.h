// Dtype and shape rules: what an op gives for operands of given types, and NumPy's errors where it does not go.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "ir/attributes.h"
#include "ops/catalogue.h"
#include "shape/dim.h"

namespace fastnp::ops {

struct Type {
    Dtype dtype;
    shape::Dims shape;
};

/// The result of `op` on operands that are as eager::run wants them (loop dtype, maps of one shape). `sizes` is the recording's
/// table, null outside one. Errors: ValueError, TypeError, AxisError in NumPy's words.
Type infer(Op op, const ir::Attributes& attributes, std::span<const Type> operands, shape::Sizes* sizes);

/// A ufunc operand before type resolution: a dtype, or a weak scalar.
struct LoopOperand {
    std::optional<Dtype> dtype;     // arrays
    std::optional<Scalar> scalar;   // weak scalars
};

/// The loop a ufunc runs: what each operand is cast to and what it computes in. NEP 50; UFuncTypeError's words (a TypeError) where there is none.
struct Loop {
    SmallVector<Dtype, 3> operands;
    Dtype compute = Dtype::bool_;
    Dtype output = Dtype::bool_;
};
Loop resolve(Op op, std::span<const LoopOperand> operands, std::optional<Dtype> dtype = std::nullopt, Casting casting = Casting::same_kind);

/// The dtype that a fold or scan computes in and returns (numpy.sum of int8 is int64, ...).
Dtype fold_dtype(Op op, Dtype operand, std::optional<Dtype> dtype);

/// The shape that shapes broadcast to; ValueError "operands could not be broadcast together with shapes (2,) (3,) ".
shape::Dims broadcast(std::span<const shape::Dims> shapes, shape::Sizes* sizes);

/// The stack that those of matrices broadcast to, for operands of these whole shapes whose last two axes give `core`; ValueError "operands could not be
/// broadcast together with remapped shapes [original->remapped]: (2,3,3)->(2,newaxis,newaxis) ...".
shape::Dims broadcast_stacks(const shape::Dims& x, const shape::Dims& y, const shape::Dims& core, shape::Sizes* sizes);

/// A weak scalar as a value of a dtype: OverflowError "Python integer 300 out of bounds for int8".
Scalar convert(const Scalar& value, Dtype dtype);

/// An axis counted from 0; AxisError "axis 3 is out of bounds for array of dimension 2".
int normalize_axis(std::int64_t axis, int rank);
/// Several; ValueError "duplicate value in 'axis'".
SmallVector<std::int64_t> normalize_axes(std::span<const std::int64_t> axes, int rank);

/// The sizes asked for in a reshape, with -1 for "what is left", made definite. ValueError where the counts differ.
shape::Dims reshaped(const shape::Dims& from, shape::Dims to, shape::Sizes* sizes);

/// "(2, 3)" and "(2,)", as Python prints a tuple.
std::string shape_text(const shape::Dims& shape, shape::Sizes* sizes = nullptr);
/// "(2,3)" and "(2,)", as NumPy's own errors print shapes.
std::string compact_text(const shape::Dims& shape, shape::Sizes* sizes = nullptr);

}  // namespace fastnp::ops
