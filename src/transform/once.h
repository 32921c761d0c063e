// Recordings that are run once.
#pragma once

#include <vector>

#include "fastnp/array.h"
#include "trace/recorder.h"

namespace fastnp::detail {

/// Computes arrays of the recording that this thread is in; it can go on afterwards.
std::vector<array> run_recording(trace::Recorder& recorder, const std::vector<array>& outputs);

}  // namespace fastnp::detail
