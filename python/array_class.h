// What fastnp.ndarray is as a class: its subclasses, its namespace, and the dtype that may be set.
#pragma once

#include "common.h"

namespace fastnp::python {

/// Lets classes be derived from ndarray. They are NumPy's, which take part by its protocols.
void make_derivable(PyObject* module, PyTypeObject* type);

/// x.dtype = value: the same memory as elements of another dtype.
int set_dtype(PyObject* self, PyObject* value, void*);
/// x.__array_namespace__(api_version=None)
PyObject* array_namespace(PyObject* self, PyObject* args, PyObject* keywords);

}  // namespace fastnp::python
