// What fastnp._transform is made of.
#pragma once

#include <pybind11/pybind11.h>

namespace fastnp::python {

void add_transforms(pybind11::module_& module);

}  // namespace fastnp::python
