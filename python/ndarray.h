// The pieces that make up the type fastnp.ndarray, each from its own file.
#pragma once

#include "convert.h"

namespace fastnp::python {

// index.cpp
PyObject* get_item(PyObject* self, PyObject* key);
int set_item(PyObject* self, PyObject* key, PyObject* value);
/// x.fill(value).
void fill_with(PyObject* self, PyObject* value);
PyObject* sequence_item(PyObject* self, Py_ssize_t position);

// protocols.cpp
int get_buffer(PyObject* self, Py_buffer* view, int flags);
void release_buffer(PyObject* self, Py_buffer* view);
extern PyMethodDef protocol_methods[];

// methods.cpp
extern PyMethodDef methods[];
extern PyGetSetDef properties[];
PyObject* get_attribute(PyObject* self, PyObject* name);

// scalars.cpp
extern PyMethodDef scalar_methods[];
/// What NumPy's scalars have under this name, of an array that stands for one; null without an error where there is nothing.
PyObject* scalar_attribute(PyObject* self, PyObject* name);
/// Of what stands for a NumPy scalar, as that one's.
Py_hash_t hash(PyObject* self);

// functions.cpp
/// Methods that are functions of the module on their first argument (sum, reshape, ...), ended by an empty row.
PyMethodDef* function_methods();
/// The functions themselves.
PyMethodDef* module_functions();

/// Creates the type and puts it in the module.
void add_ndarray(PyObject* module);

}  // namespace fastnp::python
