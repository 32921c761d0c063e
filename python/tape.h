// requires_grad, grad and backward() of fastnp.ndarray.
#pragma once

#include <pybind11/pybind11.h>

#include "common.h"
#include "fastnp/detail/tape.h"

namespace fastnp::python {

/// Of an array that requires a gradient, or is recorded on a tape.
struct Taped {
    std::shared_ptr<detail::Leaf> leaf;  // of one that requires a gradient itself
    std::optional<array> now;            // recorded: its elements, once they were asked for
};

/// Before a write into an array, which may be of a value on the tape: RuntimeError for one that requires a gradient itself.
void prepare_write(PyObject* self);
PyObject* get_requires_grad(PyObject* self, void*);
int set_requires_grad(PyObject* self, PyObject* value, void*);
PyObject* get_grad(PyObject* self, void*);
int set_grad(PyObject* self, PyObject* value, void*);
PyObject* get_is_leaf(PyObject* self, void*);
PyObject* backward(PyObject* self, PyObject* args, PyObject* keywords);
PyObject* detach(PyObject* self, PyObject*);
/// A new object for an array of a tape knows that it is one.
void note_taped(NdArray* object);
void add_tape(pybind11::module_& module);

}  // namespace fastnp::python
