// The table of back ends: what each does of the way from a recorded graph to what runs.
#pragma once

#include <string_view>

#include "plan/plan.h"

namespace fastnp::compiler {

struct BuiltIn {
    /// What a step of a plan is.
    enum class Steps : std::uint8_t {
        nodes,          // a node, by its precompiled kernel
        single_kernels, // a loop kernel of one op
        fused_kernels,  // a loop kernel of all that share a loop
    };
    std::string_view name;
    std::string_view alias;  // empty: none
    bool simplifies;         // the passes that rewrite the graph are run
    Steps steps;
    plan::KernelsBy kernels_by;
    std::string_view doc;

    bool has_kernels() const { return steps != Steps::nodes; }
    bool fuses() const { return steps == Steps::fused_kernels; }
    /// Whether loops over numbers become programs, which LLVM makes native code of.
    bool has_programs() const { return fuses() && kernels_by == plan::KernelsBy::llvm; }
};

/// By its name or alias. ValueError, which lists the names, where there is none.
const BuiltIn& built_in(std::string_view name);
/// What runs a recording that is run once: for the default back end, one that takes no time to compile.
const BuiltIn& for_one_run(const BuiltIn& backend);

}  // namespace fastnp::compiler
