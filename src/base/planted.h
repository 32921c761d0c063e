// Faults that tests plant, to measure by them what finds faults. Builds for users have none.
#pragma once

#include <string>
#include <string_view>

#include "base/for_codegen.h"

namespace fastnp::base {

/// FASTNP_PLANT="simplify swap subtract": where it is, what is done, and to which op or instruction.
struct Planted {
    std::string stage;
    std::string kind;
    std::string op;
};

/// The one that is planted at a stage. Null where there is none, and always in builds without FASTNP_PLANTED_FAULTS.
FASTNP_FOR_CODEGEN const Planted* planted(std::string_view stage);
/// Has the process end, wait for ever or for a second, or throws InternalError, where the fault is "crash", "hang", "slow" or "throw". False: it is
/// another one.
FASTNP_FOR_CODEGEN bool befalls(const Planted& fault);

}  // namespace fastnp::base
