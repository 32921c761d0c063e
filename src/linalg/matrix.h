// Matrices as the last two axes of arrays: what the functions of this room are written with.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/primitives.h"
#include "fastnp/detail/memory.h"
#include "fastnp/detail/transform.h"
#include "fastnp/device.h"
#include "fastnp/error.h"
#include "fastnp/linalg.h"

namespace fastnp::linalg {

using api::Dim;
using api::Dims;
using ir::Op;

/// While it lives, what a function makes of nothing (identities, masks) is made where its operand is at home.
class AtHome {
public:
    explicit AtHome(const array& x);

private:
    std::optional<device_scope> scope_;
};

/// In the dtype that LAPACK computes in, and the one that results have (numpy.linalg's _commonType): float64 or complex128 for the first.
struct Working {
    array x;
    Dtype result;
    AtHome home;
    array given(const array& computed) const { return api::cast(computed, is_complex(computed.dtype()) ? result : real_of(result)); }
};
/// LinAlgError unless x is a stack of matrices; TypeError for dtypes that LAPACK has not.
Working matrices(const array& x);
/// LinAlgError unless they are square.
Working square_matrices(const array& x);
/// The dtype of results, given all operands. TypeError for float16 and bfloat16.
Dtype result_dtype(std::initializer_list<Dtype> dtypes);
inline Dtype working_dtype(Dtype result) { return is_complex(result) ? Dtype::complex128 : Dtype::float64; }
/// LinAlgError unless there are two axes or more.
void check_rank(const array& x);

/// Sizes of the last axis but one, of the last axis, and of the stack.
Dim rows_of(const array& x);
Dim columns_of(const array& x);
Dims stack_of(const array& x);
/// A stack's shape with a matrix's or a vector's behind it.
Dims joined(Dims stack, std::initializer_list<Dim> core);
/// Both stacks, broadcast. ValueError in NumPy's words.
Dims common_stack(const array& x, const array& y);

array transposed(const array& x);
/// The conjugate of the transpose.
array adjoint(const array& x);
array conjugated(const array& x);
/// Whether an element of matrices is on the diagonal, or below it: bool (rows, columns).
array on_diagonal(Dim rows, Dim columns);
array below_diagonal(Dim rows, Dim columns);
array identity(Dim n, Dtype dtype);
/// The diagonal of square matrices (..., n).
array diagonal_of(const array& x);
/// The diagonal and what is below it, or above it, zeros elsewhere.
array lower_part(const array& x);
array upper_part(const array& x);
/// (x + its adjoint) / 2.
array hermitian_part(const array& x);
/// A row vector and a column vector of the last axis.
array as_row(const array& x);
array as_column(const array& x);
/// Rows from `start` on, and of a last axis `length` elements from `start` on, as arrays in memory of their own.
array rows_from(const array& x, Dim start, Dim count);
array part_of(const array& x, Dim start, Dim length);
/// What was computed of each of a stack of matrices, the stack's axes in their order.
array laid_as_stack(const array& x, const array& matrices);
/// x in memory of its own in which its axes lie as another array's do (NumPy's order "K").
array laid_as(const array& x, const array& like);
/// Whether it is recorded as zeros, as the change of what does not change is.
bool is_zero(const array& x);

/// An op of kind library.
array computed(Op op, std::initializer_list<array> operands, std::initializer_list<std::int64_t> ints = {}, const Dims& dims = {});

using Arrays = std::span<const array>;
using Forward = std::function<std::vector<array>(Arrays operands, Arrays results, Arrays changes)>;
using Reverse = std::function<std::vector<std::optional<array>>(Arrays operands, Arrays results, Arrays cotangents)>;
/// The results of a function of `operands`, with its derivative; as they are outside of recordings.
std::vector<array> with_rule(const char* name, std::vector<array> operands, std::vector<array> results, Forward forward, Reverse reverse = nullptr);

/// Solutions of triangular or of general systems, all in the dtype that LAPACK computes in; stacks are broadcast.
struct System {
    bool triangular = false, lower = false, unit = false;
    Transposed how = Transposed::no;
    bool raises = false;
};
array solved(const System& system, const array& a, const array& b);
/// The inverse; if it need not raise, infinities and NaN of a singular matrix.
array inverse(const array& a, bool raises);

}  // namespace fastnp::linalg
