// GDB's interface for code that is made at run time: it stops at a function of this name, and reads the list of objects.
// https://sourceware.org/gdb/current/onlinedocs/gdb/JIT-Interface.html
#pragma once

#include <string_view>

namespace fastnp::codegen {

/// Tells debuggers of an object file in memory, which stays as it is for the rest of the process.
void tell_gdb(std::string_view object);

}  // namespace fastnp::codegen
