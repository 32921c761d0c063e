#include "device/registry.h"

namespace fastnp::device {

namespace {

using List = Listing (*)();
constinit List cuda = nullptr;

}  // namespace

void register_cuda(Listing (*list)()) { cuda = list; }

Listing list_cuda() { return cuda != nullptr ? cuda() : Listing{{}, "this build of fastnp has no CUDA back end"}; }

}  // namespace fastnp::device
