// The type fastnp._core.CompiledFunction.
#pragma once

#include "common.h"

namespace fastnp::python {

void add_compiled_function(PyObject* module);

/// Whether compiled functions run as written in this thread; gives what was set before.
bool set_as_written(bool now);

/// From now on calls of compiled functions go to this one, as (function, *args, **kwargs), in all threads; None: nowhere else. `_direct` of a function is
/// its call. Gives what was set before. Calls of functions cost nothing more where there is none.
Ref interpose(PyObject* function);

}  // namespace fastnp::python
