// Intel's interface for code that is made at run time, which VTune's collector offers: https://github.com/intel/ittapi
#pragma once

#include <span>

#include "codegen/linked_functions.h"

namespace fastnp::codegen {

/// Tells the collector that this process runs under, if any, of functions.
void tell_vtune(std::span<const LinkedFunction> functions);

}  // namespace fastnp::codegen
