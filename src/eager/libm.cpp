#include "eager/libm.h"

#include <cmath>

namespace fastnp::eager {

namespace {

template <class T, int operands>
struct Signature {
    using type = T (*)(T);
};
template <class T>
struct Signature<T, 2> {
    using type = T (*)(T, T);
};

template <class T, int operands>
void* address_of(typename Signature<T, operands>::type function) {
    return reinterpret_cast<void*>(function);
}

template <class T>
void* address_in(ir::Op op) {
#define VECTOR(name, stem, operands) \
    if (op == ir::Op::name) return address_of<T, operands>(std::stem);
#include "eager/vector_math.def"
    return op == ir::Op::fmod ? address_of<T, 2>(std::fmod) : nullptr;
}

}  // namespace

void* libm_function(ir::Op op, Dtype dtype) {
    if (dtype == Dtype::float64) return address_in<double>(op);
    if (dtype == Dtype::float32) return address_in<float>(op);
    return nullptr;
}

}  // namespace fastnp::eager
