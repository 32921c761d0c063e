// Exported functions (fastnp/exported.h) for Python.
#pragma once

#include <pybind11/pybind11.h>

namespace fastnp::python {

void add_exported(pybind11::module_& module);

}  // namespace fastnp::python
