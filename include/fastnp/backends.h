// What compile() may make of a function: the back ends, by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fastnp/export.h"

namespace fastnp {

/// \addtogroup compile
/// @{

/// A back end: what is made of the ops that a function does. CompileOptions::backend names one. They are a ladder: each does one thing more than the one
/// before, and all give the same bits where sums have the same order.
struct BackendInfo {
    std::string name;                  ///< as CompileOptions::backend has it
    std::vector<std::string> aliases;  ///< other names for it
    bool simplifies = false;           ///< passes rewrite the recorded ops: algebra, constants, moves, copies
    bool fuses = false;                ///< ops share loops; else each is a step of its own
    std::string kernels;               ///< what does the steps: "precompiled", "interpreted", "LLVM without passes", "LLVM", "a user's"
    std::string doc;                   ///< a line that says so
    bool takes_dynamic_sizes = true;   ///< sizes may vary; else each is compiled for itself
};

/// All of them, from the one that does least to the one that does most; then those of users (graph.h).
FASTNP_API std::vector<BackendInfo> list_backends();
/// One by its name or an alias. ValueError for a name that there is none of, which lists those that there are.
FASTNP_API BackendInfo backend_info(std::string_view name);

/// @}

namespace detail {

/// Has a transform that is being recorded, if any, and not for a compiled function, run with this back end: that of the compiled function that it is of.
FASTNP_API void note_backend(std::string_view backend);
/// Whether Python's loops over numbers become native code of their own with it.
FASTNP_API bool has_native_loops(std::string_view backend);

}  // namespace detail
}  // namespace fastnp
