// fastnp.dist's classes and functions.
#pragma once

#include <pybind11/pybind11.h>

namespace fastnp::python {

void add_dist(pybind11::module_& module);
/// fastnp.dist.RankError.
extern PyObject* rank_error;

}  // namespace fastnp::python
