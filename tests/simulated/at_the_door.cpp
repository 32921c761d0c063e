// Of the library alone that Python's tests load: in it, simulated devices take the place of CUDA's.
#include "simulated/backend.h"

namespace {

[[maybe_unused]] const fastnp::device::Door before = fastnp::device::register_cuda(fastnp::simulated::door());

}  // namespace
