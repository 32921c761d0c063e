// The bodies of functions.def: what includes this is compiled anew with each row.
#pragma once

#include "functions.h"

namespace fastnp::python {

#define FUNCTION(name, kind, signature) PyObject* name##_body(PyObject** values);
#define METHOD(name, signature) PyObject* name##_method_body(PyObject** values);
#include "functions.def"

}  // namespace fastnp::python
