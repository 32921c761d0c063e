#include "eager/quiet.h"

#include <functional>

#include "fastnp/detail/float_flags.h"

namespace fastnp::eager {

namespace {

// The operands and the result are volatile, so that the operation stays between the flags that are kept and those that are put back.
template <class Operation>
double quietly(double x, double y) {
    const fastnp::detail::KeptFloatFlags kept;
    const volatile double first = x, second = y;
    const volatile double result = Operation{}(double{first}, double{second});
    return result;
}

}  // namespace

void* quiet_function(ir::Op op) {
    using Function = double (*)(double, double);
    Function found = nullptr;
    if (op == ir::Op::add) found = &quietly<std::plus<>>;
    else if (op == ir::Op::subtract) found = &quietly<std::minus<>>;
    else if (op == ir::Op::multiply) found = &quietly<std::multiplies<>>;
    else if (op == ir::Op::divide) found = &quietly<std::divides<>>;
    return reinterpret_cast<void*>(found);
}

}  // namespace fastnp::eager
