// Graphs as Python hands them on (fastnp/detail/told_graph.h).
#pragma once

#include "common.h"
#include "fastnp/detail/told_graph.h"

namespace fastnp::python {

/// {"nodes": [(op, inputs, dtype, shape, ints, dims, scalar, join, place), ...], "inputs", "outputs", "guards", "weights", "structure", "bodies",
/// "counts"}
PyObject* told_dict(const detail::ToldGraph& graph);

}  // namespace fastnp::python
