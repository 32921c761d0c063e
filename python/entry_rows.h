// Compiled entries as Python objects.
#pragma once

#include <string>
#include <vector>

#include "common.h"
#include "fastnp/compile.h"

namespace fastnp::python {

PyObject* to_list(const std::vector<std::string>& texts);
/// A dict of all that explain() shows of an entry.
PyObject* entry_dict(const EntryInfo& entry);

}  // namespace fastnp::python
