#include "eager/quiet.h"

#include "fastnp/detail/float_flags.h"

namespace fastnp::eager {

namespace {

// The operands and the result are volatile, so that the operation stays between the flags that are kept and those that are put back.
template <class Operation>
double quietly(double x, double y) {
    const detail::KeptFloatFlags kept;
    const volatile double first = x, second = y;
    const volatile double result = Operation{}(first, second);
    return result;
}

struct Add {
    double operator()(double x, double y) const { return x + y; }
};
struct Subtract {
    double operator()(double x, double y) const { return x - y; }
};
struct Multiply {
    double operator()(double x, double y) const { return x * y; }
};
struct Divide {
    double operator()(double x, double y) const { return x / y; }
};

}  // namespace

void* quiet_function(ir::Op op) {
    using Function = double (*)(double, double);
    Function found = nullptr;
    if (op == ir::Op::add) found = &quietly<Add>;
    else if (op == ir::Op::subtract) found = &quietly<Subtract>;
    else if (op == ir::Op::multiply) found = &quietly<Multiply>;
    else if (op == ir::Op::divide) found = &quietly<Divide>;
    return reinterpret_cast<void*>(found);
}

}  // namespace fastnp::eager
