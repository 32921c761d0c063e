// NumPy's C API, one table for all files of the binding (module.cpp defines it).
#pragma once

#include "common.h"

#define PY_ARRAY_UNIQUE_SYMBOL fastnp_numpy_api
#ifndef FASTNP_NUMPY_API_HERE
#define NO_IMPORT_ARRAY
#endif
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

namespace fastnp::python {

inline PyArrayObject* as_numpy(PyObject* object) { return reinterpret_cast<PyArrayObject*>(object); }
static_assert(sizeof(npy_intp) == sizeof(std::int64_t), "64-bit platforms only");

}  // namespace fastnp::python
