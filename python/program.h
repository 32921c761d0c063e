// Programs over numbers and elements of arrays, bound for fastnp's native loops.
#pragma once

#include <pybind11/pybind11.h>

namespace fastnp::python {

void add_programs(pybind11::module_& module);

}  // namespace fastnp::python
