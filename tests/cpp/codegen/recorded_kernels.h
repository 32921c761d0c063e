// The loop kernels of a function for a GPU, as a plan would have them, for tests of what turns them into code.
#pragma once

#include <functional>
#include <vector>

#include "api/body.h"
#include "compile/specialise.h"
#include "fastnp/fastnp.h"
#include "nest/lower.h"
#include "pass/fuse.h"
#include "pass/index_map.h"
#include "trace/recorder.h"

namespace fastnp {

using Arrays = std::vector<array>;

struct Argument {
    Dtype dtype;
    std::vector<std::int64_t> shape;
    bool varies = false;  // its sizes are symbols
};

struct RecordedKernel {
    nest::Kernel kernel;
    struct Place {
        std::int64_t bytes;   // of the memory that a buffer lies in
        std::int64_t offset;  // where it begins there; what goes backwards reads before that
    };
    std::vector<Place> places;  // per buffer
};

struct RecordedKernels {
    std::vector<RecordedKernel> kernels;
    shape::Sizes sizes;
    std::vector<std::int64_t> symbols;  // their values
};

namespace detail {

inline std::int64_t bytes_of(const shape::Dims& shape, Dtype dtype, const shape::Sizes& sizes) {
    auto bytes = static_cast<std::int64_t>(itemsize_of(dtype));
    for (const shape::Dim dim : shape) bytes *= sizes.hint(dim);
    return bytes;
}

}  // namespace detail

/// `gathers`: those that take elements by index, too, which the host has no code for.
inline RecordedKernels kernels_of(const std::function<Arrays(const Arrays&)>& function, const std::vector<Argument>& arguments, bool gathers = false) {
    const auto recorder = std::make_shared<trace::Recorder>();
    const trace::Recorder::Scope scope{recorder};
    ir::Graph& graph = recorder->graph();
    RecordedKernels made;
    std::vector<array> given;
    for (const Argument& argument : arguments) {
        shape::Dims dims;
        for (const std::int64_t size : argument.shape) {
            dims.push_back(argument.varies ? graph.sizes().symbol("n" + std::to_string(made.symbols.size()), size) : shape::Dim(size));
            if (argument.varies) made.symbols.push_back(size);
        }
        given.push_back(api::wrap(graph.parameter(argument.dtype, dims), recorder));
    }
    std::vector<ir::Value> outputs;
    for (const array& result : function(given)) outputs.push_back(result.body()->value);
    graph.set_outputs(outputs);
    plan::Times times;
    compiler::prepare(graph, "llvm", {times});
    shape::Sizes& sizes = graph.sizes();
    std::vector<shape::Dims> strides;
    for (const ir::Value parameter : graph.parameters()) strides.push_back(pass::contiguous_strides(parameter->shape, parameter->dtype, sizes));
    const pass::Program program = pass::fuse(graph, strides, {true, pass::Walkers::of_gpu(), pass::Layout::contiguous, gathers});
    std::vector<nest::Temporary> temporaries;
    for (const pass::Step& step : program.steps) {
        if (step.node != nullptr) continue;
        for (nest::Lowered& each : nest::lower_for_gpu(step.region, program, sizes, [](ir::Value) { return true; }, temporaries)) {
            RecordedKernel& kernel = made.kernels.emplace_back(std::move(each.kernel));
            for (const nest::Binding& binding : each.bindings) {
                const std::int64_t all = binding.value != nullptr
                                             ? detail::bytes_of(binding.value->shape, binding.value->dtype, sizes)
                                             : detail::bytes_of(temporaries[static_cast<std::size_t>(binding.temporary)].shape,
                                                                temporaries[static_cast<std::size_t>(binding.temporary)].dtype, sizes);
                kernel.places.push_back({all, binding.offset});
            }
        }
    }
    made.sizes = sizes;
    return made;
}

}  // namespace fastnp
