// Subscripts of integer arrays and masks, as far as they can be recorded.
#pragma once

#include <optional>

#include "common.h"

namespace fastnp::python {

/// The integer arrays of a subscript that has nothing else: one, or a tuple of them (lists count). Empty for another subscript.
std::vector<array> integer_arrays(PyObject* key);
/// The mask that a subscript is, or nothing.
std::optional<array> mask_of(PyObject* key);
/// x[key] = value in a recording; false for another subscript. What NumPy says about wrong ones is for NumPy to say: such a call runs as written.
bool set_picked(const array& target, PyObject* key, PyObject* value);

}  // namespace fastnp::python
