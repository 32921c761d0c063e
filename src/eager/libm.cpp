#include "eager/libm.h"

#include <cmath>

namespace fastnp::eager {

namespace {

template <class T>
void* address_in(ir::Op op) {
    using One = T (*)(T);
    using Two = T (*)(T, T);
    const auto one = [](One function) { return reinterpret_cast<void*>(function); };
    const auto two = [](Two function) { return reinterpret_cast<void*>(function); };
    switch (op) {
        case ir::Op::exp: return one(std::exp);
        case ir::Op::exp2: return one(std::exp2);
        case ir::Op::expm1: return one(std::expm1);
        case ir::Op::log: return one(std::log);
        case ir::Op::log2: return one(std::log2);
        case ir::Op::log10: return one(std::log10);
        case ir::Op::log1p: return one(std::log1p);
        case ir::Op::sin: return one(std::sin);
        case ir::Op::cos: return one(std::cos);
        case ir::Op::tan: return one(std::tan);
        case ir::Op::arcsin: return one(std::asin);
        case ir::Op::arccos: return one(std::acos);
        case ir::Op::arctan: return one(std::atan);
        case ir::Op::sinh: return one(std::sinh);
        case ir::Op::cosh: return one(std::cosh);
        case ir::Op::tanh: return one(std::tanh);
        case ir::Op::arcsinh: return one(std::asinh);
        case ir::Op::arccosh: return one(std::acosh);
        case ir::Op::arctanh: return one(std::atanh);
        case ir::Op::cbrt: return one(std::cbrt);
        case ir::Op::arctan2: return two(std::atan2);
        case ir::Op::power: return two(std::pow);
        case ir::Op::fmod: return two(std::fmod);
        default: return nullptr;
    }
}

}  // namespace

void* libm_function(ir::Op op, Dtype dtype) {
    if (dtype == Dtype::float64) return address_in<double>(op);
    if (dtype == Dtype::float32) return address_in<float>(op);
    return nullptr;
}

}  // namespace fastnp::eager
