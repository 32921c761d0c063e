// The version of the library that is linked.
#pragma once

#include <string_view>

#include "fastnp/export.h"

namespace fastnp {

/// \addtogroup compile
/// @{

/// The library's version, "MAJOR.MINOR.PATCH": that of the library at run time, whichever headers a program was compiled with.
/// Releases of one MAJOR.MINOR are compatible (docs/users/versions.md). Python: `fastnp.__version__`.
///
///     std::cout << fastnp::version();  // 0.1.0
FASTNP_API std::string_view version() noexcept;

/// @}

}  // namespace fastnp
