// Compiled with the flags of its instruction set (cmake/rooms.cmake).
#include "eager/vector_sort.h"

#if defined(__x86_64__)

#include "eager/vector_sort_functions.h"

namespace fastnp::eager::vector_sorts {

const VectorSort v3 = functions;

}  // namespace fastnp::eager::vector_sorts

#endif
