// Whether the LLVM IR of a kernel does what the kernel means (translation validation). Both are run on terms at the same sizes, and what they store is
// compared element by element; where terms differ, an SMT solver is asked. FASTNP_VERIFY=1 has it done with all that is compiled for the host.
#pragma once

#include <map>
#include <span>
#include <string>

#include "codegen/external.h"
#include "codegen/jit.h"
#include "shape/dim.h"

namespace llvm {
class Function;
}

namespace fastnp::codegen {

/// Whether FASTNP_VERIFY=1.
bool proves();

struct Proof {
    bool is_proved = false;
    std::string why_not;        // where it is not
    std::size_t cases = 0;      // sizes and alignments that it was proved at
    std::size_t all_cases = 0;  // that it was to be proved at
    bool all_units = true;      // or some of them, where there are many
    std::size_t elements = 0;   // that were stored, and compared
    std::size_t asked = 0;      // questions to the solver
    double milliseconds = 0;    // of this thread's own time
};

/// "proved at 67 sizes, 3210 elements", "not proved: it calls f".
std::string to_string(const Proof& proof);

/// A function that was made of a kernel. InternalError, which names the kernel, the element and the point, if it does something else. LLVM's passes know
/// of floating-point numbers what is not known here: after them, what differs in these operations is not proved.
Proof prove(const llvm::Function& function, const std::map<std::string, External>& externals, const Job& job, const shape::Sizes& sizes,
            Stage stage = Stage::emitted);

/// The code that a kernel is given: as it is emitted, or after LLVM's passes.
Proof prove(const Job& job, const shape::Sizes& sizes, Stage stage = Stage::emitted);

/// All kernels of a plan, each once in a process, and a line for each: to the log of code, or if that is off, to the standard error stream.
void prove_all(std::span<const Job> jobs, const shape::Sizes& sizes);

}  // namespace fastnp::codegen
