// Methods of numpy.random.Generator as fastnp has them: draws from NumPy's own bit generators, which are lent for the while.
#pragma once

#include "common.h"

namespace fastnp::python {

/// What the method of a generator of NumPy's would give, with arrays of fastnp's, and the generator as it is after that; null without an error, and the
/// generator as it was, where NumPy is to draw: other arguments, bad ones, recordings, and, unless FASTNP_FALLBACK says otherwise, what NumPy is sooner
/// at, orders and few numbers. `name`: the method's. `few`: draws these, too.
PyObject* draw_natively(PyObject* generator, PyObject* name, bool few, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);

/// fastnp._core._draw_natively(generator, name, few, *args, **kwargs), which gives NotImplemented there.
void add_generator_methods(PyObject* module);

}  // namespace fastnp::python
