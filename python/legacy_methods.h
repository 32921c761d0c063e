// Methods of numpy.random.RandomState as fastnp has them, which are the older functions of numpy.random.
#pragma once

#include "common.h"

namespace fastnp::python {

/// What the method of a RandomState of NumPy's would give, with arrays of fastnp's, and the generator as it is after that; null without an error, and the
/// generator as it was, where NumPy is to draw: other generators, other methods, other arguments, bad ones.
PyObject* draw_by_legacy(PyObject* generator, PyObject* name, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);

}  // namespace fastnp::python
