// The short way to functions of NumPy's: for arguments that have no say in it, outside of recordings. All others go by fastnp._fallback.
#pragma once

#include "common.h"

namespace fastnp::python {

/// Before a call of a function of NumPy's: one more in the dict of their names.
void count_call(PyObject* counts, PyObject* name);

/// Whether FASTNP_FALLBACK asks for what NumPy alone has: what both have is not left to NumPy then.
bool is_numpy_watched();

/// The function on views of arrays, its results as fastnp's, counted; null without an error where fastnp._fallback is to do it.
PyObject* call_simply(PyObject* function, PyObject* name, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
/// The same of the function that NumPy has by that name.
PyObject* call_simply(PyObject* name, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);

/// fastnp._core._ByNumpy: such a function as an object, which gives NotImplemented for what goes by fastnp._fallback.
/// fastnp._core._DrawMethod: a method of fastnp.random.Generator, as the one of NumPy's generator that it has.
void add_by_numpy(PyObject* module);

}  // namespace fastnp::python
