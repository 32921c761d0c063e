// Native loops that Ctrl-C interrupts.
#pragma once

#include <Python.h>

#include "fastnp/detail/interruption.h"
#include "ticks.h"

namespace fastnp::python {

/// What a run asks: every now and then it takes the GIL, which it may have let go, and looks whether SIGINT came, in Python's main thread. It is left
/// then, and Python's handler is called where the loop goes on as written.
class Interruptible : public detail::Interruption {
public:
    /// `state`: of the thread, where it has let the GIL go; null: it has not, and keeps it.
    explicit Interruptible(PyThreadState** state) : state_(state) { ask = &looked; }

private:
    static bool looked(detail::Interruption& self);
    PyThreadState** state_;
    std::uint64_t last_ = 0;  // when it last looked
};

}  // namespace fastnp::python
