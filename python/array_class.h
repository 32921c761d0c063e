// What fastnp.ndarray is as a class: its subclasses, its namespace, and what of its layout may be set.
#pragma once

#include <string>

#include "common.h"

namespace fastnp::python {

/// Lets classes be derived from ndarray. They are NumPy's, which take part by its protocols.
void make_derivable(PyObject* module, PyTypeObject* type);

/// AttributeError, in NumPy's words, where `self` stands for a NumPy scalar: none of its attributes can be set.
void refuse_scalar(PyObject* self, const char* attribute);
/// AttributeError where an attribute of a part is deleted (`value` is null).
void refuse_deletion(PyObject* value, const std::string& part);
/// x.dtype = value, x.strides = value: the same memory seen in another way.
int set_layout(PyObject* self, PyObject* value, void* name);
/// x.__array_namespace__(api_version=None)
PyObject* array_namespace(PyObject* self, PyObject* args, PyObject* keywords);

}  // namespace fastnp::python
