// Files kept on disk between processes: found by what they are for, for which machine, and by which build of this library. Many processes may use one
// folder at once, and die at any moment: files appear whole, by renaming, and carry checksums.
//
//   FASTNP_CACHE_DIR    the folder; by default fastnp in $XDG_CACHE_HOME or ~/.cache; empty: nothing is kept
//   FASTNP_CACHE_SIZE   mebibytes that it may hold (256); what was not used for longest goes
//
//   FASTNP_CACHE_BUNDLE a folder that is read besides, and never written to: what an application brings with it
//
// The folder must belong to the user, and so must each file, and nobody else may be able to write to them; what is not so is left alone and not read. A
// bundle and its files may be the system's (root's), too.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fastnp::codegen {

/// Whether anything is kept at all.
bool keeps_files();
/// What is kept under this fingerprint, or nothing. Never raises: what can't be read, or is not as it was written, is not there.
std::optional<std::string> load_bytes(std::string_view fingerprint);
/// Keeps it, if it can be kept.
void store_bytes(std::string_view fingerprint, std::string_view bytes);

}  // namespace fastnp::codegen
