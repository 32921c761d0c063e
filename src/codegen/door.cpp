#include "codegen/door.h"

#include "fastnp/export.h"

namespace fastnp::codegen {

namespace {

thread_local constinit volatile bool is_entered = false;  // lies with all others of this library

void enter() { is_entered = true; }

}  // namespace

extern "C" FASTNP_API const Door* fastnp_codegen_door() {
    static const Door door{
        FASTNP_VERSION,
        enter,
#define DOOR(name, result, function, parameters, arguments) [] parameters -> result { return function arguments; },
#include "codegen/door.def"
#undef DOOR
    };
    return &door;
}

}  // namespace fastnp::codegen
