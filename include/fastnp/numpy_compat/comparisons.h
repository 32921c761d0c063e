// NumPy functions that are compositions of others: comparisons within tolerances, of whole arrays, and with infinities.
#pragma once

#include "fastnp/array.h"
#include "fastnp/ops.h"

namespace fastnp {

/// \addtogroup elementwise
/// @{

/// numpy.isclose: whether |a - b| <= atol + rtol * |b|, or both are the same infinity; with `equal_nan` also where both are NaN. Broadcast, bool. Computed
/// in floating point, whatever the dtypes.
///
///     isclose(array{1.0, 2.0}, array{1.0 + 1e-9, 2.1});  // true false
FASTNP_API array isclose(const Operand& a, const Operand& b, const Operand& rtol = 1e-5, const Operand& atol = 1e-8, bool equal_nan = false);

/// numpy.isneginf: whether x is the negative infinity, as bool. TypeError for complex numbers.
FASTNP_API array isneginf(const array& x, const UfuncOptions& options = {});
/// numpy.isposinf: whether x is the positive infinity, as bool. TypeError for complex numbers.
FASTNP_API array isposinf(const array& x, const UfuncOptions& options = {});

/// numpy.isreal: whether the imaginary part is 0, as bool; true of all real numbers.
FASTNP_API array isreal(const array& x);
/// numpy.iscomplex: whether the imaginary part is not 0, as bool.
FASTNP_API array iscomplex(const array& x);

/// @}

/// \addtogroup reductions
/// @{

/// numpy.allclose: whether isclose() is true of all elements. While recording, the answer is read, as that of `if (all(...))` is.
FASTNP_API bool allclose(const Operand& a, const Operand& b, const Operand& rtol = 1e-5, const Operand& atol = 1e-8, bool equal_nan = false);

/// numpy.array_equal: whether shapes and all elements are equal; with `equal_nan` a NaN equals a NaN (of complex numbers in either part). Read as
/// allclose().
///
///     array_equal(array{1, 2}, array{1.0, 2.0});  // true
FASTNP_API bool array_equal(const array& a, const array& b, bool equal_nan = false);

/// numpy.array_equiv: whether the shapes can be broadcast together and all elements are equal then. Read as allclose().
FASTNP_API bool array_equiv(const array& a, const array& b);

/// @}

}  // namespace fastnp
