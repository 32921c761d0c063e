// Graphs for front ends to hand on (fastnp/detail/told_graph.h).
#pragma once

#include <span>

#include "api/entry.h"
#include "api/record_call.h"
#include "fastnp/detail/ahead.h"
#include "fastnp/detail/told_graph.h"

namespace fastnp::detail {

/// That of a recording, as the passes leave it. `kept`: what the front end keeps of it. RecordError for what is no function of its arguments alone.
ToldGraph told(Recording recording, std::span<const Argument> call, const Ahead& ahead, const void* kept);

}  // namespace fastnp::detail
