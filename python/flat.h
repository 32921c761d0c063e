// x.flat and x.sort(): on NumPy's view of the memory, and in recordings in Python (fastnp/_flat.py).
#pragma once

#include "common.h"

namespace fastnp::python {

/// x.sort(...), in place.
PyObject* sort_in_place(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
/// x.flat
PyObject* get_flat(PyObject* self, void* unused);
/// x.flat = value
int set_flat(PyObject* self, PyObject* value, void* unused);

}  // namespace fastnp::python
