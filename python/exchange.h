// Arrays on CUDA devices, exchanged with other libraries without copies: DLPack's capsules and __cuda_array_interface__.
#pragma once

#include "convert.h"

namespace fastnp::python {

/// Whether it is an array of another library (neither fastnp's nor NumPy's) whose elements are on a CUDA device.
bool is_foreign(PyObject* object);
/// An array over its elements, which keeps it alive; fastnp's work there comes after what made them. Errors are its own, or BufferError.
array from_foreign(PyObject* object);

/// __dlpack__ of an array, the way that its arguments ask for.
PyObject* dlpack_capsule(PyObject* self, PyObject* args, PyObject* keywords);
/// AttributeError for arrays that are on no CUDA device.
PyObject* cuda_array_interface(PyObject* self, void*);

}  // namespace fastnp::python
