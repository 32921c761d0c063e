#include "backends.h"

#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <vector>

#include "casters.h"
#include "common.h"
#include "convert.h"
#include "fastnp/backends.h"
#include "fastnp/graph.h"

namespace py = pybind11;

namespace fastnp::python {

py::object python_number(const Scalar& scalar) {
    switch (scalar.kind()) {
        case WeakKind::boolean: return py::bool_(scalar.bits() != 0);
        case WeakKind::integer: return scalar.negative() ? py::object(py::int_(scalar.as_int64())) : py::object(py::int_(scalar.bits()));
        case WeakKind::floating: return py::float_(scalar.real());
        case WeakKind::complex: break;
    }
    return py::reinterpret_steal<py::object>(check(PyComplex_FromDoubles(scalar.real(), scalar.imag())));
}

namespace {

using Arrays = std::vector<array>;

py::tuple told(const BackendInfo& info) { return py::make_tuple(info.name, info.aliases, info.simplifies, info.fuses, info.kernels, info.doc); }

py::list list_of(const Arrays& arrays) {
    py::list list;
    for (const array& each : arrays) list.append(each);
    return list;
}

Arrays arrays_of(const py::object& list) {
    Arrays arrays;
    for (const py::handle each : list) arrays.push_back(each.cast<array>());
    return arrays;
}

// A function of Python's, for as long as the compiler keeps it, in any thread. Its errors are Python's.
class Held {
public:
    explicit Held(const py::object& function) : function_(Py_NewRef(function.ptr()), &let_go) {}

    template <class... A>
    py::object operator()(const A&... arguments) const {
        try {
            return py::reinterpret_borrow<py::object>(function_.get())(arguments...);
        } catch (py::error_already_set& error) {
            error.restore();
            throw PythonError{};
        }
    }

private:
    static void let_go(PyObject* function) {
        if (Py_IsInitialized() == 0) return;
        const py::gil_scoped_acquire lock;
        Py_DECREF(function);
    }

    std::shared_ptr<PyObject> function_;
};

GraphFunction function_of(const py::object& function) {
    return [held = Held(function)](const Arrays& arrays) {
        const py::gil_scoped_acquire lock;
        try {
            return arrays_of(held(list_of(arrays)));
        } catch (const PythonError&) {  // else it is a BackendError
            const bool is_index = PyErr_ExceptionMatches(PyExc_IndexError) != 0;
            if (!is_index && PyErr_ExceptionMatches(PyExc_ValueError) == 0) throw;
            PyErr_Clear();
            if (is_index) throw IndexError("raised by an op");
            throw ValueError("raised by an op");
        }
    };
}

void add_backend(const std::string& name, const py::object& make, bool recorded) {
    if (make.is_none()) {
        register_backend(name, nullptr);
        return;
    }
    const auto backend = [held = Held(make)](const Graph& graph, const Arrays& examples) {
        const py::gil_scoped_acquire lock;
        return function_of(held(graph, list_of(examples)));
    };
    register_backend(name, backend, recorded);
}

// Number, op, the numbers of its inputs, dtype, shape, attributes, text, place.
py::tuple told(const GraphNode& node) {
    py::dict attributes;
    if (!node.ints.empty() && node.op != "parameter") attributes["ints"] = py::tuple(py::cast(node.ints));
    if (!node.dims.empty()) attributes["dims"] = py::tuple(py::cast(node.dims));
    if (node.scalar) attributes["scalar"] = python_number(*node.scalar);
    const py::object dtype = py::reinterpret_steal<py::object>(check(reinterpret_cast<PyObject*>(descr_of(node.dtype))));
    const std::vector<std::int64_t> shape(node.shape.begin(), node.shape.end());
    return py::make_tuple(node.number, node.op, py::tuple(py::cast(node.inputs)), dtype, py::tuple(py::cast(shape)), attributes, node.text, node.place);
}

py::list nodes_of(const Graph& graph) {
    py::list nodes;
    for (const GraphNode& each : graph.nodes()) nodes.append(told(each));
    return nodes;
}

Graph replaced(const Graph& graph, std::size_t node, const py::object& function, const std::vector<std::size_t>& inputs) {
    return graph.replace(node, [held = Held(function)](const Arrays& arrays) { return held(list_of(arrays)).cast<array>(); }, inputs);
}

void add_graph(py::module_& module) {
    py::class_<Graph>(module, "_Graph", "A graph, for back ends of users.")
        .def("nodes", &nodes_of)
        .def("inputs", &Graph::inputs)
        .def("outputs", &Graph::outputs)
        .def("text", &Graph::text)
        .def("may_raise", &Graph::may_raise)
        .def("run", [](const Graph& graph, const py::object& arrays) { return list_of(graph.run(arrays_of(arrays))); })
        .def("compile",
             [](const Graph& graph, const std::string& backend) {
                 return py::cpp_function([made = graph.compile(backend)](const py::object& arrays) { return list_of(made(arrays_of(arrays))); });
             })
        .def("part", [](const Graph& graph, const std::vector<std::size_t>& outputs,
                        const std::vector<std::size_t>& inputs) { return graph.part(outputs, inputs); })
        .def("passes", &Graph::passes)
        .def_static("parse", &Graph::parse)
        .def("replace", &replaced);
}

}  // namespace

void add_backends(py::module_& module) {
    add_graph(module);
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
    module.def("_register_backend", &add_backend, py::arg("name"), py::arg("make"), py::arg("recorded") = false,
               "Has a name mean a function of a graph and arrays, which gives one of lists of arrays.");
    module.def("_has_native_loops", &detail::has_native_loops, "Whether loops over numbers become native code of their own with it.");
}

}  // namespace fastnp::python
