// The door between libfastnp and libfastnp_codegen, the library that has this room and LLVM. libfastnp has functions of the same names (door/forward.cpp),
// which load that library when one of them is called for the first time. Programs that are linked with both in one (tests) have no door.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "codegen/about.h"
#include "codegen/debug_lines.h"
#include "codegen/device_code.h"
#include "codegen/exported.h"
#include "codegen/jit.h"
#include "codegen/json_line.h"
#include "codegen/library_kernel.h"
#include "codegen/prove.h"
#include "codegen/store.h"
#include "codegen/tells_lines.h"

namespace fastnp::codegen {

/// Makes this library's variables of a thread. glibc does so when the first of them is touched, and ends the process where it finds no memory for them:
/// this is bad_alloc then.
void enter_thread();

/// The functions in libfastnp_codegen.
struct Door {
    const char* version;  // fastnp's: both libraries are of one
    void (*enter_thread)();
#define DOOR(name, result, function, parameters, arguments) result(*name) parameters;
#include "codegen/door.def"
#undef DOOR
};

/// The name by which libfastnp finds it, of type `const Door* ()`.
inline constexpr const char* door_symbol = "fastnp_codegen_door";

}  // namespace fastnp::codegen
