// The table of back ends: what each does of the way from a recorded graph to what runs. And those that users register.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "fastnp/graph.h"
#include "plan/plan.h"

namespace fastnp::compiler {

struct BuiltIn {
    /// What a step of a plan is.
    enum class Steps : std::uint8_t {
        nodes,           // a node, by its precompiled kernel
        single_kernels,  // a loop kernel of one op
        fused_kernels,   // a loop kernel of all that share a loop
    };
    std::string_view name;
    std::string_view alias;  // empty: none
    bool simplifies;         // the passes that rewrite the graph are run
    Steps steps;
    plan::KernelsBy kernels_by;
    bool has_programs;  // loops over numbers become programs, which LLVM makes native code of
    std::string_view doc;

    bool has_kernels() const { return steps != Steps::nodes; }
    bool fuses() const { return steps == Steps::fused_kernels; }
};

/// By its name or alias; for one of users, what does the rest of a function. ValueError, which lists the names, where there is none.
const BuiltIn& built_in(std::string_view name);
/// The name itself for an alias. ValueError as above.
std::string full_name(std::string_view name);
/// One of users by its name; null where there is none.
std::shared_ptr<const Backend> users_backend(std::string_view name);
/// What runs a recording that is run once: in the place of one that would compile it, one that takes no time.
std::string for_one_run(std::string_view name);

}  // namespace fastnp::compiler
