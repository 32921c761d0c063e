// The process's worker threads. Workers wait for work by spinning for a while, then asleep, so that a launch right after another costs little
// and an idle process nothing.
#pragma once

#include <cstdint>

#include "base/for_codegen.h"

namespace fastnp::base {

/// Threads that parallel_for uses, the caller among them: FASTNP_NUM_THREADS, or the processors that this process may run on.
FASTNP_FOR_CODEGEN int thread_count();

/// Runs body(context, task, worker) for every task in [0, tasks), on this thread and the workers; returns when all are done. `worker` is below
/// thread_count() and its own while a task runs. Entered from within a task, or while another thread uses the workers, it runs on the caller alone. The
/// first exception of a task is thrown here after the others have ended.
///
/// Where tasks take about as long as each other, a worker that ends late has no processor of its own: few tasks are the caller's alone for a while then.
enum class Tasks : std::uint8_t { alike, of_any_length };
FASTNP_FOR_CODEGEN void parallel_for(std::int64_t tasks, void (*body)(void* context, std::int64_t task, int worker), void* context,
                                     Tasks kind = Tasks::alike);

}  // namespace fastnp::base
