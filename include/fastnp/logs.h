// Logs: what is compiled, and why, told as it happens.
#pragma once

#include <string>
#include <string_view>

#include "fastnp/export.h"

namespace fastnp {

/// \addtogroup compile
/// @{

/// How events are written.
struct LogOptions {
    std::string file;   ///< they are added to this file; empty: the standard error stream
    bool json = false;  ///< an object a line (JSON Lines): channel, function, text, and values by their names
};

/// Tells of what happens in compiled functions from now on, in all threads: a line an event, as it happens.
///
/// `channels`: names with commas between them, "all", or "+all"; empty: nothing is told any more. `recompiles`: calls that need another compilation, and
/// what changed. `guards`: what each compiled entry takes for granted. `breaks`: what ended a recording. `fusion`: the kernels and their operations.
/// `passes`: each pass that changed the graph, with the graph as `+passes`. `code`: LLVM's code of the kernels. `ptx`: code for devices. `cache`: what was
/// found on disk, and what is kept there. `timing`: the milliseconds of each phase. The environment sets the same: FASTNP_LOGS, FASTNP_LOGS_FILE,
/// FASTNP_LOGS_JSON=1. Where nothing is told, it costs nothing. Raises ValueError for other names, and for files that can't be opened.
///
///     set_logs("recompiles,timing");
///     auto f = compile([](const array& x) { return x * 2; });
///     f(ones({3}));  // fastnp timing: function: compiled in 12.3 ms: record 0.1, simplify 0.1, ...
FASTNP_API void set_logs(std::string_view channels, const LogOptions& options = {});

/// The channels that are told of, with commas between them.
FASTNP_API std::string logs();

/// @}

}  // namespace fastnp
