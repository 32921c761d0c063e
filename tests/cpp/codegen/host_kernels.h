// The plan of a function for the host, its kernels as they are run, for tests of what turns them into code.
#pragma once

#include "codegen/recorded_kernels.h"

namespace fastnp {

/// `strides`: bytes between the elements of arguments along each axis; an empty list: as in C.
inline plan::Plan host_plan_of(const std::function<Arrays(const Arrays&)>& function, const std::vector<Argument>& arguments,
                               const std::vector<std::vector<std::int64_t>>& strides = {}) {
    const auto recorder = std::make_shared<trace::Recorder>();
    const trace::Recorder::Scope scope{recorder};
    ir::Graph& graph = recorder->graph();
    std::vector<array> given;
    int symbols = 0;
    for (const Argument& argument : arguments) {
        shape::Dims dims;
        for (const std::int64_t size : argument.shape)
            dims.push_back(argument.varies ? graph.sizes().symbol("n" + std::to_string(symbols++), size) : shape::Dim(size));
        given.push_back(api::wrap(graph.parameter(argument.dtype, dims), recorder));
    }
    std::vector<ir::Value> outputs;
    for (const array& result : function(given)) outputs.push_back(result.body()->value);
    graph.set_outputs(outputs);
    plan::Times times;
    compiler::prepare(graph, "llvm", {times});
    std::vector<shape::Dims> layout;
    for (const ir::Value parameter : graph.parameters()) {
        const auto number = static_cast<std::size_t>(parameter->attributes.ints[0]);
        layout.push_back(pass::contiguous_strides(parameter->shape, parameter->dtype, graph.sizes()));
        if (number >= strides.size() || strides[number].empty()) continue;
        layout.back() = {};
        for (const std::int64_t stride : strides[number]) layout.back().push_back(stride);
    }
    return compiler::specialise(graph, layout, "llvm", {}, {times});
}

}  // namespace fastnp
