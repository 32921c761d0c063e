// The parameters of a Python function: arguments are bound to them, flattened and handed on without Python code.
#pragma once

#include <vector>

#include "pytree.h"

namespace fastnp::python {

/// Arguments in the order of the parameters; null for none. All borrowed.
struct Bound {
    SmallVector<PyObject*, 8> slots;
    SmallVector<PyObject*, 8> extra;   // *args
    SmallVector<PyObject*, 4> names;   // of **kwargs
    SmallVector<PyObject*, 4> values;
};

using Starts = SmallVector<std::size_t, 8>;

struct Parameters {
    explicit Parameters(PyObject* function);

    /// False where the function itself will have to say what is wrong with the arguments.
    bool bind(PyObject* function, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, Bound& bound) const;
    /// Adds the arguments to a call's: slots, extra positional arguments, extra keywords. `starts`, unless null, gets how many arrays were before each.
    static void flatten(const Bound& bound, Flat& flat, Starts* starts = nullptr);
    /// All objects that were passed.
    static std::vector<PyObject*> all(const Bound& bound);
    /// Calls a function of these parameters on what takes the place of the arguments while recording.
    Ref call(PyObject* function, const Bound& bound, Rebuild& rebuild, PyObject* swaps) const;

    std::vector<Ref> names;  // positional ones, then keyword-only ones
    int positional = 0;  // of these, how many may be given by position
    int positional_only = 0;
    bool extra_positional = false;  // *args
    bool extra_keywords = false;  // **kwargs
    bool known = false;  // a Python function; else any arguments go, as they come

private:
    bool fill(PyObject* function, Bound& bound) const;
};

}  // namespace fastnp::python
