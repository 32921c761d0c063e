// Quotients and remainders of floating numbers, whose comparisons tell nothing of NaN: a native program's flags are its own. The other rows are compiled
// for vectors, with comparisons that raise flags as they like (-fno-trapping-math); these have none.
#include "eager/span.h"

namespace fastnp::eager {

namespace {

template <class F, class T>
void quotient_base(const void* const* operands, void* out, std::int64_t count) {
    detail::map2<F, T>(operands, out, count);
}
template <class F, class T>
FASTNP_V3 void quotient_v3(const void* const* operands, void* out, std::int64_t count) {
    detail::map2<F, T>(operands, out, count);
}

template <class F>
SpanKernel kernel(Dtype dtype) {
    const auto of = []<class T>(T) { return for_host<SpanKernel>(&quotient_base<F, T>, &quotient_v3<F, T>, &quotient_v3<F, T>); };
    switch (dtype) {
        case Dtype::float16: return of(float16_t());
        case Dtype::bfloat16: return of(bfloat16_t());
        case Dtype::float32: return of(0.0F);
        case Dtype::float64: return of(0.0);
        default: return nullptr;
    }
}

}  // namespace

SpanKernel division_kernel(ops::Op op, Dtype dtype) {
    switch (op) {
        case ops::Op::floor_divide: return kernel<rows::floor_divide_row>(dtype);
        case ops::Op::remainder: return kernel<rows::remainder_row>(dtype);
        case ops::Op::fmod: return kernel<rows::fmod_row>(dtype);
        default: return nullptr;
    }
}

}  // namespace fastnp::eager
