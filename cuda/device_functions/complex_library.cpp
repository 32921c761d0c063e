// The C library's functions of complex numbers, which std::complex's are made of, for devices.
#include "ops/complex_functions.h"

namespace {

template <class R, class Z>
Z complex(fastnp::ops::complex_functions::Pair<R> z) {
    return __builtin_complex(z.re, z.im);
}
template <class R, class Z>
fastnp::ops::complex_functions::Pair<R> pair(Z z) {
    return {__real__ z, __imag__ z};
}

}  // namespace

namespace meanings = fastnp::ops::complex_functions;

#define FASTNP_COMPLEX1(name)                                                                                                           \
    extern "C" _Complex double c##name(_Complex double z) { return complex<double, _Complex double>(meanings::name(pair<double>(z))); } \
    extern "C" _Complex float c##name##f(_Complex float z) { return complex<float, _Complex float>(meanings::name(pair<float>(z))); }
FASTNP_COMPLEX1(exp)
FASTNP_COMPLEX1(log)
FASTNP_COMPLEX1(sqrt)
FASTNP_COMPLEX1(sin)
FASTNP_COMPLEX1(cos)
FASTNP_COMPLEX1(tan)
FASTNP_COMPLEX1(asin)
FASTNP_COMPLEX1(acos)
FASTNP_COMPLEX1(atan)
FASTNP_COMPLEX1(sinh)
FASTNP_COMPLEX1(cosh)
FASTNP_COMPLEX1(tanh)
FASTNP_COMPLEX1(asinh)
FASTNP_COMPLEX1(acosh)
FASTNP_COMPLEX1(atanh)

extern "C" _Complex double cpow(_Complex double x, _Complex double y) {
    return complex<double, _Complex double>(meanings::pow(pair<double>(x), pair<double>(y)));
}
extern "C" _Complex float cpowf(_Complex float x, _Complex float y) {
    // The exponential makes much of what the logarithm was rounded by.
    return static_cast<_Complex float>(cpow(static_cast<_Complex double>(x), static_cast<_Complex double>(y)));
}
