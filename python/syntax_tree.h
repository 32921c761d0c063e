// Python's syntax trees, gone over.
#pragma once

#include "common.h"

namespace fastnp::python {

/// (children, walk, uppermost), with a dict of the names of the fields in which nodes of a class have others (which makes what is missing), and ast.AST.
PyObject* syntax_functions(PyObject* fields, PyObject* node);

}  // namespace fastnp::python
