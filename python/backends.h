// The back ends of compile(), for Python.
#pragma once

#include <pybind11/pybind11.h>

#include "fastnp/scalar.h"

namespace fastnp::python {

/// A number of a graph as Python has it.
pybind11::object python_number(const Scalar& scalar);

void add_backends(pybind11::module_& module);

}  // namespace fastnp::python
