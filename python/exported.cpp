#include "exported.h"

#include <pybind11/stl.h>

#include <filesystem>
#include <string>
#include <vector>

#include "casters.h"
#include "common.h"
#include "fastnp/exported.h"

namespace py = pybind11;

namespace fastnp::python {

namespace {

py::list call_exported(const Exported& function, const std::vector<array>& arguments) {
    std::vector<array> results;
    {
        const py::gil_scoped_release free;
        results = function(arguments);
    }
    py::list list;
    for (array& each : results) list.append(std::move(each));
    return list;
}

}  // namespace

void add_exported(py::module_& module) {
    py::class_<Exported>(module, "_Exported", "A function that export() wrote, over flat lists of arrays.")
        .def(py::init([](const std::string& path) { return Exported(std::filesystem::path(path)); }))
        .def("__call__", &call_exported)
        .def_property_readonly("name", &Exported::name)
        .def_property_readonly("written", &Exported::written)
        .def_property_readonly("structure", &Exported::structure)
        .def_property_readonly("parameters", [](const Exported& function) {
            py::list list;
            for (const ExportedArray& each : function.parameters()) list.append(py::make_tuple(each.name, each.dtype, each.shape));
            return list;
        });
    module.def(
        "_write_exported", [](const std::string& path, const py::bytes& bytes) { detail::write_exported(path, std::string(bytes)); },
        "A file of these bytes, in the place of one of this name, at once.");
}

}  // namespace fastnp::python
