// Looking into compiled functions: what was made of them, as text and as files.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "fastnp/compile.h"
#include "fastnp/export.h"

namespace fastnp {

/// \addtogroup compile
/// @{

/// What was compiled of a function, and why; print it, or read its parts.
struct FASTNP_API Explanation {
    std::string name;                ///< of the function
    CacheInfo cache;                 ///< counts of calls and entries
    std::vector<EntryInfo> entries;  ///< one for each kind of calls
    std::vector<MissInfo> misses;    ///< why calls were not served from the cache

    /// All of it but code: kernels with bytes and operations, what was not fused and why, guards, memory, recompilations.
    std::string text() const;
};

/// Writes text().
FASTNP_API std::ostream& operator<<(std::ostream& out, const Explanation& explanation);

/// What was compiled of a function by its calls so far; with code as text if asked for. Of calls within a profile_scope there are times.
///
///     auto f = compile([](const array& x) { return sum(sin(x)); });
///     f(ones({3}));
///     std::cout << explain(f);
template <class F>
Explanation explain(const Compiled<F>& function, bool with_code = false) {
    return {function.options().name, function.cache_info(), function.entries(with_code), function.misses()};
}

/// While it lives, what this thread compiles keeps the graph from pass to pass (EntryInfo::passes) and the arguments of the call (EntryInfo::inputs).
class FASTNP_API explain_scope {
public:
    /// Keeps them from here on.
    [[nodiscard]] explain_scope();
    /// No longer.
    ~explain_scope();
    explain_scope(const explain_scope&) = delete;
    explain_scope& operator=(const explain_scope&) = delete;

private:
    bool before_;
};

/// From now on what is compiled, in all threads, is written to files: for each function a folder of its own in this one, which is made, and in it one for
/// each entry, with the arguments, the graph after each pass, kernels, LLVM's code before and after its passes, assembly or PTX, guards, memory and times.
/// Files are written whole or not at all; several processes may share a folder. An empty name ends it. ValueError for a folder that can't be written to.
/// FASTNP_DEBUG sets the same for a process. What is compiled is recorded, even if its recording is kept on disk. It gives the folder that was set before.
FASTNP_API std::string set_debug_folder(const std::string& folder);

/// @}

}  // namespace fastnp
