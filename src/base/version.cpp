#include "fastnp/version.h"

namespace fastnp {

std::string_view version() noexcept { return FASTNP_VERSION; }

}  // namespace fastnp
