// The back ends of compile(), for Python.
#pragma once

#include <pybind11/pybind11.h>

namespace fastnp::python {

void add_backends(pybind11::module_& module);

}  // namespace fastnp::python
