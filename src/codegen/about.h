// What code is made by, and where it is kept.
#pragma once

#include <string>

namespace fastnp::codegen {

/// "19.1.7".
std::string llvm_version();
/// The folder of the disk cache, whether it is there or not; empty: nothing is kept.
std::string cache_folder();

}  // namespace fastnp::codegen
