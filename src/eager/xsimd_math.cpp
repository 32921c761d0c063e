#include "eager/xsimd_math.h"

namespace fastnp::eager {

void* xsimd_function([[maybe_unused]] ir::Op op, Dtype dtype, [[maybe_unused]] Isa isa) {
    if (dtype != Dtype::float32 && dtype != Dtype::float64) return nullptr;
#if defined(__x86_64__)
    switch (isa) {
        case Isa::v4: return xsimd_math::v4_function(op, dtype);
        case Isa::v3: return xsimd_math::v3_function(op, dtype);
        case Isa::base:
        case Isa::scalar: return xsimd_math::base_function(op, dtype);
    }
#endif
    return nullptr;
}

}  // namespace fastnp::eager
