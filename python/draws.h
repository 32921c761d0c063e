// fastnp._core's random numbers that are drawn on devices.
#pragma once

#include <pybind11/pybind11.h>

namespace fastnp::python {

void add_draws(pybind11::module_& module);

}  // namespace fastnp::python
