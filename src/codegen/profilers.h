// Debuggers and profilers that generated code is named to, as the variable FASTNP_PROFILER says.
#pragma once

namespace llvm::orc {
class LLJIT;
}

namespace fastnp::codegen {

/// Whether there are any.
bool has_profilers();
/// Tells them of all that is linked from here on.
void attach_profilers(llvm::orc::LLJIT& jit);

}  // namespace fastnp::codegen
