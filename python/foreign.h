// NumPy arrays that a function makes while it is recorded: they become constants of the recording, by reference, and must not change after.
#pragma once

#include "numpy_api.h"

namespace fastnp::python {

/// Notes an array that becomes part of the recording this thread is in.
void note_foreign(PyArrayObject* source);
/// RecordError if one of them was written to since.
void check_foreign(const Recording& recording);

}  // namespace fastnp::python
