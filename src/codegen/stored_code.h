// Object code kept on disk between processes: a file for the kernels of a plan, found by what they compute.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/external.h"

namespace fastnp::codegen {

struct StoredCode {
    std::vector<std::string> symbols;   // of each kernel
    std::vector<External> externals;    // that it calls
    std::vector<std::string> objects;   // object files
};

/// What is kept for the kernels of this fingerprint, or nothing. Never raises.
std::optional<StoredCode> load_code(std::string_view fingerprint);
/// Keeps it, if it can be kept.
void store_code(std::string_view fingerprint, const StoredCode& code);

}  // namespace fastnp::codegen
