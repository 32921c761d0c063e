// The short way to what a mask or arrays of integers pick, of few elements on the host (elements.h).
#pragma once

#include "common.h"

namespace fastnp::python {

/// x[mask], x[i] and x[i, j]; null without an error: the general way, which also says what is wrong.
PyObject* quick_pick(PyObject* self, PyObject* key);
/// The same on the left of an assignment; false, and nothing is done: the general way.
bool quick_put(PyObject* self, PyObject* key, PyObject* value);

}  // namespace fastnp::python
