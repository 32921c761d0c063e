// Object code kept on disk between processes: a file for the kernels of a plan, found by what they compute, for which machine, and by which build of
// this library. Many processes may use one folder at once, and die at any moment: files appear whole, by renaming, and carry checksums.
//
//   FASTNP_CACHE_DIR    the folder; by default fastnp in $XDG_CACHE_HOME or ~/.cache; empty: nothing is kept
//   FASTNP_CACHE_SIZE   mebibytes that it may hold (256); what was not used for longest goes
//
// The folder must belong to the user, and so must each file, and nobody else may be able to write to them; what is not so is left alone and not read.
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
    std::string object;                 // as an object file
};

/// What is kept for the kernels of this fingerprint, or nothing. Never raises: what can't be read, or is not as it was written, is not there.
std::optional<StoredCode> load_code(std::string_view fingerprint);
/// Keeps it, if it can be kept.
void store_code(std::string_view fingerprint, const StoredCode& code);

}  // namespace fastnp::codegen
