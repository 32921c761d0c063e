// What a compiled function's frame calls in the place of a native loop.
#pragma once

#include <pybind11/pybind11.h>

namespace fastnp::python {

void add_loop_calls(pybind11::module_& module);

}  // namespace fastnp::python
