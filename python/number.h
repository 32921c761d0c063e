// fastnp._core._Float: a Python float that varies from call to call, as a recorded function sees it. It counts like a float in sums, products and
// quotients, in comparisons and beside arrays; powers, remainders and functions of `math` are calls of the outside. Where it can't stay what it is (text,
// int()), it is the float of the call at hand, and the recording is for that one alone.
#pragma once

#include <vector>

#include "common.h"

namespace fastnp::python {

extern PyTypeObject* float_type;
inline bool is_recorded_float(PyObject* object) { return Py_TYPE(object) == float_type; }

/// A _Float for a recorded float64 of no axes.
PyObject* float_object(array value);
/// The recorded value of a _Float.
const array& float_value(PyObject* object);
/// The float or the int of the call at hand for a _Float or a _Size; any other object as it is.
Ref concrete_number(PyObject* object);

/// Whether an object stands for a Python number of a recording.
bool is_recorded_number(PyObject* object);
/// A binary ufunc with such a number: it as an array of the dtype that it takes beside the other operand (NEP 50). False where it can't be, and the number
/// of the call at hand has to do.
bool numbers_as_arrays(const char* ufunc, PyObject* const* operands, std::vector<Ref>& made);

/// Sums, differences, products and quotients of numbers of which one is recorded, as Python's of floats; where they are none, of the numbers at hand.
PyObject* add_floats(PyObject* a, PyObject* b);
PyObject* subtract_floats(PyObject* a, PyObject* b);
PyObject* multiply_floats(PyObject* a, PyObject* b);
PyObject* divide_floats(PyObject* a, PyObject* b);
/// pow(a, b) of numbers of which one is recorded: a call of the outside, so that the result is Python's.
PyObject* power_of_numbers(PyObject* a, PyObject* b, PyObject* modulo);

void add_float(PyObject* module);

}  // namespace fastnp::python
