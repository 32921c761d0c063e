// Exported functions (fastnp/exported.h) for Python.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

namespace fastnp::detail {
struct ExportedPart;
}

namespace fastnp::python {

/// A function on its way into a library, as Python holds it.
struct PartObject {
    std::shared_ptr<const detail::ExportedPart> part;
};

void add_exported(pybind11::module_& module);

}  // namespace fastnp::python
