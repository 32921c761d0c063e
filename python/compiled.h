// The type fastnp._core.CompiledFunction.
#pragma once

#include "common.h"

namespace fastnp::python {

void add_compiled_function(PyObject* module);

}  // namespace fastnp::python
