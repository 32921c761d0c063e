// What is compiled, written to files (fastnp/explain.h).
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "base/fork.h"
#include "fastnp/compile.h"
#include "fastnp/detail/debug_folder.h"

namespace fastnp::detail {

/// Whether compilations are to keep what explain() and debug folders tell of them: in this thread, or as a debug folder is set.
bool keeps_passes();
/// Whether a debug folder is set.
bool is_debugging();
/// Sets the folder that the environment names, once in a process.
void set_debug_folder_by_environment();
/// A file as a whole: others see none, the old one or the new one. Whether that could be done.
bool write_whole(const std::string& file, std::string_view text);

/// The folder of a function, which is made when it is first wanted. Thread-safe.
class FunctionFolder {
public:
    std::string path() const;
    /// Writes what an entry is, into the folder that it has, or one that is made for it, and gives that. What can't be written is left out.
    std::string write(const EntryInfo& entry, const CompileOptions& options, const std::string& into);

private:
    mutable base::ForkSafe<std::mutex> mutex_;
    std::string within_;  // the debug folder that `path_` is in
    std::string path_;
};

}  // namespace fastnp::detail
