// The ufunc objects of the module, one for each row of the catalogue's maps.
#pragma once

#include "convert.h"

namespace fastnp::python {

/// Puts fastnp.ufunc and all ufuncs into the module.
void add_ufuncs(PyObject* module);
/// The rows of the catalogue as tuples (name, kind, operands, rule, traits, doc), for tests and documentation.
PyObject* catalogue();

}  // namespace fastnp::python
