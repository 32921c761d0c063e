#include "codegen/door.h"

#include <cstddef>
#include <new>

#include "fastnp/export.h"

namespace fastnp::codegen {

namespace {

thread_local constinit volatile bool is_entered = false;  // lies with all others of this library

}  // namespace

void enter_thread() {
    constexpr std::size_t enough = 64 << 10;  // on the heap, where theirs will lie
    ::operator delete(::operator new(enough));
    is_entered = true;
}

extern "C" FASTNP_API const Door* fastnp_codegen_door() {
    static const Door door{
        FASTNP_VERSION,
        enter_thread,
#define DOOR(name, result, function, parameters, arguments) [] parameters -> result { return function arguments; },
#include "codegen/door.def"
#undef DOOR
    };
    return &door;
}

}  // namespace fastnp::codegen
