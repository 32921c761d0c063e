#include "interruptible.h"

#include "common.h"

namespace fastnp::python {

namespace {

constexpr Nanoseconds seldom = 50'000'000;  // others may keep the GIL for some milliseconds each time

}  // namespace

// A signal that came is put back: Python's own code is where handlers are called.
bool Interruptible::looked(detail::Interruption& self) {
    auto& mine = static_cast<Interruptible&>(self);
    const std::uint64_t now = ticks();
    if (nanoseconds_of(now - mine.last_) < seldom || is_finalizing()) return false;
    if (mine.state_ != nullptr) PyEval_RestoreThread(*mine.state_);
    const bool came = PyOS_InterruptOccurred() != 0;
    if (came) PyErr_SetInterrupt();
    if (mine.state_ != nullptr) *mine.state_ = PyEval_SaveThread();
    mine.last_ = ticks();
    return came;
}

}  // namespace fastnp::python
