// fastnp._core's Fourier transforms.
#pragma once

#include <pybind11/pybind11.h>

namespace fastnp::python {

void add_fft(pybind11::module_& module);

}  // namespace fastnp::python
