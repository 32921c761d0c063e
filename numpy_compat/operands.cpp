#include "operands.h"

#include "fastnp/error.h"

namespace fastnp::compat {

Operand minus(const Operand& x) {
    const Scalar* number = real_number(x);
    if (number == nullptr) return negative(x);
    return is_whole(*number) ? Operand(-number->as_int64()) : Operand(-number->real());
}

Operand plus(const Operand& x, const Operand& y) {
    const Scalar *p = real_number(x), *q = real_number(y);
    return p != nullptr && q != nullptr ? Operand(p->real() + q->real()) : Operand(add(x, y));
}

Operand times(const Operand& x, const Operand& y) {
    const Scalar *p = real_number(x), *q = real_number(y);
    return p != nullptr && q != nullptr ? Operand(p->real() * q->real()) : Operand(multiply(x, y));
}

Operand over(const Operand& x, const Operand& y) {
    const Scalar *p = real_number(x), *q = real_number(y);
    if (p == nullptr || q == nullptr) return divide(x, y);
    if (q->real() == 0) throw ZeroDivisionError("float division by zero");
    return p->real() / q->real();
}

}  // namespace fastnp::compat
