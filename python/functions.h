// What the bodies of functions.def share.
#pragma once

#include "convert.h"

namespace fastnp::python {

/// The array that an `out=` argument stands for (one in a tuple too); nothing for None.
std::optional<array> to_out(PyObject* object);
/// A `where=` mask; nothing for True.
std::optional<array> to_mask(PyObject* object);
/// What a function with `out=` returns: that object itself, else the result.
PyObject* finish(array result, PyObject* out);
/// A result that may share the memory of `source`, which is its base then.
PyObject* wrap_view(array result, PyObject* source);
/// Of order= where nothing needs to be copied: whether an array may stay as it lies (creating.cpp).
bool lies_in(const array& x, Order order);
/// order=; NeedsNumpy for what is none.
Order to_order(PyObject* object, Order fallback);
/// NeedsNumpy unless every one of these arguments was left at its default.
void only_defaults(std::initializer_list<PyObject*> values);

/// The names of the functions that make arrays from nothing.
PyObject* creator_names();

/// The docstring of docstrings.def behind the signature that `text` begins with, for a name like "sum" or "ndarray.sum"; `text` where it has none.
/// What it gives lives as long as the process.
const char* documented(const std::string& name, const char* text);
/// The docstrings of a table's methods, which are `owner`'s.
void document(PyMethodDef* methods, const char* owner);

class FloatWatch;

/// Positional and keyword arguments put in the order of a signature.
class Signature {
public:
    Signature(const char* function, const char* text);
    /// TypeError in Python's words for too many, unknown, repeated or missing arguments. `first` comes before args (a method's self). What it gives holds
    /// the values that are no arguments themselves.
    Ref bind(PyObject* first, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, PyObject** values) const;
    /// Tells what of a call's arguments is written to, and what is made, where that is said.
    void prepare(FloatWatch& watch, bool is_method, PyObject* const* values) const;
    static constexpr int most = 12;

private:
    const char* function_;
    int count_ = 0, positional_ = 0, required_ = 0;
    int rest_ = -1;  // `*names`: a tuple of the positional arguments that are left
    int out_ = -1, dtype_ = -1;  // the parameter that is written to, and the one that says the dtype
    PyObject* names_[most] = {};
};

}  // namespace fastnp::python
