// Events of logs as JSON.
#pragma once

#include <string>

#include "fastnp/detail/log.h"

namespace fastnp::codegen {

/// An object on one line: channel, function, text, and the values by their names. (Of this room, as LLVM has the writer.)
std::string json_line(const detail::LogEvent& event);

}  // namespace fastnp::codegen
