// Work that goes on beside calls.
#pragma once

#include <functional>

namespace fastnp::base {

/// Does `job`, which throws nothing, in a thread of its own, after those that were handed over before. A process that ends waits for the job that is under
/// way, and does no others; a child of fork() does none of its parent's. Where the system refuses a thread the job is done at once.
void in_background(std::function<void()> job);

/// Waits until all jobs are done that were handed over so far.
void wait_for_background();
/// Whether any is not done yet.
bool is_at_work_in_background();

}  // namespace fastnp::base
