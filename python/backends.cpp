#include "backends.h"

#include <pybind11/stl.h>

#include "fastnp/backends.h"

namespace py = pybind11;

namespace fastnp::python {

namespace {

py::tuple told(const BackendInfo& info) { return py::make_tuple(info.name, info.aliases, info.simplifies, info.fuses, info.kernels, info.doc); }

}  // namespace

void add_backends(py::module_& module) {
    module.def(
        "_backends",
        [] {
            py::list all;
            for (const BackendInfo& each : list_backends()) all.append(told(each));
            return all;
        },
        "What each back end does, from the one that does least.");
    module.def(
        "_backend_info", [](const std::string& name) { return told(backend_info(name)); },
        "What one does: name, aliases, simplifies, fuses, kernels, doc.");
    module.def("_has_native_loops", &detail::has_native_loops, "Whether loops over numbers become native code of their own with it.");
}

}  // namespace fastnp::python
