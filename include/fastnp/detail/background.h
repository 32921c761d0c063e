// Compilations that go on in a thread of their own (CompileOptions::background), for the front ends.
#pragma once

#include <functional>

#include "fastnp/export.h"

namespace fastnp::detail {

/// Does `job`, which throws nothing, in that thread, after those that were handed over before.
FASTNP_API void in_background(std::function<void()> job);
/// Waits until all are done that were handed over so far.
FASTNP_API void wait_for_background();
/// Whether any is not done yet.
FASTNP_API bool is_at_work_in_background();

}  // namespace fastnp::detail
