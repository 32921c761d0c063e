// The C library's functions of real numbers that the catalogue's meanings call, for devices: CUDA's libdevice has nearly all of them, within 4 ulp. What
// is rounded exactly (square roots, fused steps) is an instruction.
#include <bit>
#include <cstdint>

// clang-format off
#define FASTNP_EACH1(f) f(cbrt) f(exp) f(exp2) f(expm1) f(log) f(log2) f(log10) f(log1p) f(sin) f(cos) f(tan) f(asin) f(acos) f(atan) f(sinh) f(cosh) \
    f(tanh) f(asinh) f(acosh) f(atanh)
#define FASTNP_EACH2(f) f(atan2) f(fmod) f(nextafter)
// clang-format on

extern "C" {

#define FASTNP_REAL1(name)                           \
    double __nv_##name(double);                      \
    float __nv_##name##f(float);                     \
    double name(double x) { return __nv_##name(x); } \
    float name##f(float x) { return __nv_##name##f(x); }
FASTNP_EACH1(FASTNP_REAL1)

#define FASTNP_REAL2(name)                                        \
    double __nv_##name(double, double);                           \
    float __nv_##name##f(float, float);                           \
    double name(double x, double y) { return __nv_##name(x, y); } \
    float name##f(float x, float y) { return __nv_##name##f(x, y); }
FASTNP_EACH2(FASTNP_REAL2)

float __nv_powf(float, float);
float powf(float x, float y) { return __nv_powf(x, y); }
// libdevice's finds out whether y is odd by a shift that may be longer than the number, which is undefined in LLVM: signs are given here.
double __nv_pow(double, double);
double pow(double x, double y) {
    const double size = __nv_pow(__builtin_fabs(x), y);
    if (!__builtin_signbit(x)) return size;
    const bool whole = __builtin_trunc(y) == y;
    if (!whole && x != 0 && (x >= -__DBL_MAX__ || y != y)) return __builtin_nan("");
    return whole && __builtin_trunc(y / 2) != y / 2 ? -size : size;
}

// libdevice's is infinite for the largest number and a small one. By powers of two neither square overflows, nor does the larger one lose digits.
double hypot(double x, double y) {
    const double a = __builtin_fabs(x);
    const double b = __builtin_fabs(y);
    if (__builtin_isinf(a) || __builtin_isinf(b)) return __builtin_inf();
    const double large = a > b ? a : b;
    const double small = a > b ? b : a;
    const double scale = large > 0x1p500 ? 0x1p-600 : large < 0x1p-500 ? 0x1p600 : 1;
    const double l = large * scale;
    const double s = small * scale;
    return __nvvm_sqrt_rn_d(__nvvm_fma_rn_d(l, l, s * s)) * (1 / scale);
}
// libdevice's takes an approximate root; as doubles the squares are exact.
float hypotf(float x, float y) {
    const double re = x;
    const double im = y;
    if (__builtin_isinf(x) || __builtin_isinf(y)) return __builtin_inff();
    return static_cast<float>(__nvvm_sqrt_rn_d(re * re + im * im));
}

double sqrt(double x) { return __nvvm_sqrt_rn_d(x); }
float sqrtf(float x) { return __nvvm_sqrt_rn_f(x); }
double fma(double x, double y, double z) { return __nvvm_fma_rn_d(x, y, z); }
float fmaf(float x, float y, float z) { return __nvvm_fma_rn_f(x, y, z); }

double modf(double x, double* whole) {
    *whole = __builtin_trunc(x);
    return __builtin_copysign(__builtin_isinf(x) ? 0.0 : x - *whole, x);
}
float modff(float x, float* whole) {
    *whole = __builtin_truncf(x);
    return __builtin_copysignf(__builtin_isinf(x) ? 0.0F : x - *whole, x);
}

}  // extern "C"
