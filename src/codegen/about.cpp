#include "codegen/about.h"

#include <llvm/Config/llvm-config.h>

namespace fastnp::codegen {

std::string llvm_version() { return LLVM_VERSION_STRING; }

}  // namespace fastnp::codegen
