// Arithmetic of operands as Python has it: numbers alone give numbers, which stay weak beside arrays (NEP 50).
#pragma once

#include "fastnp/array.h"
#include "fastnp/ops.h"

namespace fastnp::compat {

/// The number if it is a real one, else null.
inline const Scalar* real_number(const Operand& x) {
    const Scalar* number = x.as_scalar();
    return number != nullptr && number->kind() != WeakKind::complex ? number : nullptr;
}
inline bool is_whole(const Scalar& number) { return number.kind() == WeakKind::integer || number.kind() == WeakKind::boolean; }

/// To write over an array that was just made and is not needed any more. In a recording there is nothing to gain.
inline UfuncOptions over_it(const array& made) {
    UfuncOptions options;
    if (!made.is_recorded() && made.ndim() > 0) options.out = made;
    return options;
}

/// -x.
Operand minus(const Operand& x);
/// x + y and x * y, computed as floats where both are numbers.
Operand plus(const Operand& x, const Operand& y);
Operand times(const Operand& x, const Operand& y);
/// x / y. ZeroDivisionError, as Python's, for numbers.
Operand over(const Operand& x, const Operand& y);

}  // namespace fastnp::compat
