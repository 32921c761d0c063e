// Snapshots of the memory of arrays, for Python.
#pragma once

#include <pybind11/pybind11.h>

namespace fastnp::python {

void add_memory_watch(pybind11::module_& module);

}  // namespace fastnp::python
