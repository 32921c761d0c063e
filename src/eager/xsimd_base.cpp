// Compiled with the flags of its instruction set (cmake/rooms.cmake).
#include "eager/xsimd_math.h"

#if defined(__x86_64__)

#define FASTNP_XSIMD_ARCH xsimd::sse2
#include "eager/xsimd_functions.h"

namespace fastnp::eager::xsimd_math {

void* base_function(ir::Op op, Dtype dtype) { return function(op, dtype); }

}  // namespace fastnp::eager::xsimd_math

#endif
