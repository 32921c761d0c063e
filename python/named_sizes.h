// dynamic= of compiled functions: sizes that have names, of parameters; what they are in a call.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "parameters.h"

namespace fastnp::python {

/// A named size of a parameter, by its number: among the function's names, then the extra positional arguments.
struct NamedParameter {
    int parameter = 0;
    std::string argument;  // its name, or what it is called in errors
    int axis = 0;
    Dim dim;
    bool is_own = false;  // named by nobody: of several arrays each is a size of its own
};

/// From compile(): a dict {(parameter, axis): (argument, name, low, high, multiple, is_own)}. ValueError for ranges without a size.
std::vector<NamedParameter> read_named(PyObject* dict);
/// The named sizes of a call, by position among its arrays; `starts`: where each of its parameters begins there. `checks`: with the errors of what it
/// lacks.
NamedSizes named_sizes_of(const std::vector<NamedParameter>& named, const Bound& bound, const Starts& starts, const Flat& flat, bool checks);

}  // namespace fastnp::python
