#include "codegen/door.h"

#include "fastnp/export.h"

namespace fastnp::codegen {

extern "C" FASTNP_API const Door* fastnp_codegen_door() {
    static const Door door{
        FASTNP_VERSION,
#define DOOR(name, result, function, parameters, arguments) [] parameters -> result { return function arguments; },
#include "codegen/door.def"
#undef DOOR
    };
    return &door;
}

}  // namespace fastnp::codegen
