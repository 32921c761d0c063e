// The type fastnp._core.CompiledFunction.
#pragma once

#include "common.h"

namespace fastnp::python {

void add_compiled_function(PyObject* module);

/// Whether compiled functions run as written in this thread; gives what was set before.
bool set_as_written(bool now);

}  // namespace fastnp::python
