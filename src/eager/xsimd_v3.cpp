// Compiled with the flags of its instruction set (cmake/rooms.cmake).
#include "eager/xsimd_math.h"

#if defined(__x86_64__)

#define FASTNP_XSIMD_ARCH xsimd::fma3<xsimd::avx2>
#include "eager/xsimd_functions.h"

namespace fastnp::eager::xsimd_math {

void* v3_function(ir::Op op, Dtype dtype) { return function(op, dtype); }

}  // namespace fastnp::eager::xsimd_math

#endif
