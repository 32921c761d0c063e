// Comparisons of floats that raise no flag for NaN.
#pragma once

#include "codegen/llvm.h"

namespace fastnp::codegen {

/// NumPy's comparisons raise no flag for a quiet NaN. LLVM's raise none where one decides a branch, but do where it chooses between floats (as a predicate
/// or a minimum's instruction), where several are joined (as lanes, beside others that hold anything) and in vectors. These get the predicates that raise
/// none, of AVX; processors without it are left as they are. Afterwards nothing may be optimised that depends on what is compared.
void make_compares_quiet(llvm::Function& function);

}  // namespace fastnp::codegen
