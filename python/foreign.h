// NumPy arrays that a function makes while it is recorded: they become constants of the recording, by reference, and must not change after.
#pragma once

#include "numpy_api.h"

namespace fastnp::python {

/// Notes an array that becomes part of the recording this thread is in.
void note_foreign(PyArrayObject* source);
/// RecordError if one of them was written to since.
void check_foreign(const Recording& recording);

/// While recording: a copy of an array that NumPy made, which is the recording's own, so that each call has a new one. Its elements lie in C order.
array own_copy(PyArrayObject* source);
/// RecordError where an array that a recording hands out lies in memory that it neither made nor was given: all calls would share it.
void check_handed_out(std::span<PyObject* const> arrays, std::size_t parameters);

}  // namespace fastnp::python
