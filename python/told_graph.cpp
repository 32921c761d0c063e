#include "told_graph.h"

#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "backends.h"
#include "casters.h"
#include "convert.h"

namespace py = pybind11;

namespace fastnp::python {

namespace {

py::tuple told_row(const detail::ToldNode& node) {
    const py::object dtype = py::reinterpret_steal<py::object>(check(reinterpret_cast<PyObject*>(descr_of(node.dtype))));
    const py::object scalar = node.scalar ? python_number(*node.scalar) : py::none();
    return py::make_tuple(node.op, py::tuple(py::cast(node.inputs)), dtype, py::tuple(py::cast(node.shape)), py::tuple(py::cast(node.ints)),
                          py::tuple(py::cast(node.dims)), scalar, node.join, node.place);
}

py::dict told(const detail::ToldGraph& graph) {
    py::list nodes, weights, bodies;
    for (const detail::ToldNode& node : graph.nodes) nodes.append(told_row(node));
    for (const array& weight : graph.weights) weights.append(weight);
    for (const detail::ToldGraph& body : graph.bodies) bodies.append(told(body));
    py::dict made;
    made["nodes"] = nodes;
    made["inputs"] = graph.inputs;
    made["outputs"] = graph.outputs;
    made["guards"] = graph.guards;
    made["weights"] = weights;
    made["structure"] = graph.structure;
    made["bodies"] = bodies;
    made["counts"] = py::make_tuple(graph.states, graph.parts, graph.constants, graph.collected);
    return made;
}

}  // namespace

PyObject* told_dict(const detail::ToldGraph& graph) { return told(graph).release().ptr(); }

}  // namespace fastnp::python
