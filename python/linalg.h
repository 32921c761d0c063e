// Linear algebra, bound for fastnp._linalg.
#pragma once

#include <pybind11/pybind11.h>

namespace fastnp::python {

void add_linalg(pybind11::module_& module);

}  // namespace fastnp::python
