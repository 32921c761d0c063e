// What front ends add to a debug folder (fastnp/explain.h).
#pragma once

#include <string>
#include <string_view>

#include "fastnp/export.h"

namespace fastnp::detail {

/// Makes a folder for a function in the debug folder, with a description of the environment in it. Its name is that of the function, as far as files have
/// such names, and a number if there is one of that name. Empty: no debug folder is set, or it can't be written to any more.
FASTNP_API std::string claim_debug_folder(std::string_view name);

}  // namespace fastnp::detail
