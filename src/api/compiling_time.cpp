#include "fastnp/detail/compiling_time.h"

namespace fastnp::detail {

namespace {

thread_local std::int64_t spent = 0;
thread_local int depth = 0;  // of lives inside of each other

}  // namespace

std::int64_t compiling_time() { return spent; }

CompilingTime::CompilingTime() { ++depth; }

CompilingTime::~CompilingTime() {
    if (--depth > 0) return;
    spent += std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin_).count();
}

}  // namespace fastnp::detail
