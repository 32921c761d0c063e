// Arrays of lists of plain numbers, without NumPy's walk over them.
#pragma once

#include <optional>

#include "common.h"

namespace fastnp::python {

/// The array that numpy.array makes of a float, an int or a bool of Python's, of a list or a tuple of such, or of a list of these of one length, in its
/// own dtype or one that is given; nothing for others.
std::optional<array> array_of_items(PyObject* object, std::optional<Dtype> dtype);

}  // namespace fastnp::python
