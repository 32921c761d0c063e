#include "api/users_code.h"

#include <exception>
#include <memory>
#include <utility>

#include "api/body.h"
#include "api/graph_state.h"
#include "api/outside.h"
#include "compile/hand_over.h"
#include "device/movable.h"
#include "eager/eager.h"
#include "fastnp/error.h"
#include "fastnp/ops.h"
#include "trace/recorder.h"

namespace fastnp::detail {

namespace {

// Errors of the back end's tell which one it is.
template <class Body>
auto named(const std::string& backend, const Body& body) {
    const std::string where = "backend '" + backend + "'";
    try {
        return body();
    } catch (const Error& error) {
        throw_within(error, where);
        throw;
    } catch (const std::exception& error) {
        throw Error(std::string(error.what()) + "\n  in " + where);
    }
}

device::Memory copied(const device::Memory& memory) {
    device::Memory made = device::allocate(memory.dtype, memory.shape);
    device::use_on_host(memory.data, device::Access::read);
    eager::copy({memory.data, memory.dtype, memory.shape, memory.strides}, {made.data, made.dtype, made.shape, made.strides});
    return made;
}

}  // namespace

std::vector<array> examples_of(std::span<const Argument> call, const std::vector<device::Memory>& captured) {
    std::vector<array> examples;
    for (const Argument& argument : call) {
        const Shape shape(argument.shape, argument.shape + argument.rank);
        const Strides strides(argument.strides, argument.strides + argument.rank);
        examples.push_back(api::wrap(copied({nullptr, argument.data, argument.dtype, shape, strides})));
    }
    for (const device::Memory& memory : captured) examples.push_back(api::wrap(copied(memory)));
    return examples;
}

std::shared_ptr<const UsersCode> make_users_code(Recording& made, const Backend& backend, const CompileOptions& options) {
    auto handed = compiler::hand_over(made.graph, options.backend);
    if (!handed) return nullptr;
    auto code = std::make_shared<UsersCode>();
    code->backend = options.backend;
    code->call = handed->call;
    code->outputs = made.graph.calls()[static_cast<std::size_t>(handed->call)].types;
    for (const ir::Value output : handed->graph.outputs()) code->names.emplace_back(name_of(output->op));
    std::vector<array> examples;
    for (std::size_t i = 0; i < handed->parameters.size(); ++i) {
        const int parameter = handed->parameters[i];
        const ir::Value value = handed->graph.parameters()[i];
        // What a call gives is not known yet.
        examples.push_back(parameter >= 0 ? made.examples[static_cast<std::size_t>(parameter)] : zeros(fixed_shape(value->shape), value->dtype));
    }
    const Graph graph(std::make_shared<const GraphState>(std::move(handed->graph)));
    const trace::Recorder::Scope meanwhile(nullptr);
    code->may_raise = graph.may_raise();
    code->function = named(options.backend, [&] { return backend(graph, examples); });
    if (!code->function) throw TypeError("backend '" + options.backend + "' gives no function");
    return code;
}

trace::CalledPtr UsersCode::run(std::span<const device::Memory> operands) const {
    const trace::Recorder::Scope meanwhile(nullptr);
    std::vector<array> arrays;
    try {
        arrays = named(backend, [&] { return function(arrays_over(operands)); });
    } catch (const IndexError&) {
        if (may_raise) return nullptr;  // the function as written raises it
        throw;
    } catch (const ValueError&) {
        if (may_raise) return nullptr;
        throw;
    }
    if (arrays.size() != outputs.size()) {
        throw ValueError("backend '" + backend + "' gives " + std::to_string(arrays.size()) + " arrays for a graph of " + std::to_string(outputs.size()) +
                         " outputs");
    }
    trace::Called called;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        const Shape shape = fixed_shape(outputs[i].shape);
        const std::string which =
            "backend '" + backend + "': output " + std::to_string(i) + " (" + names[i] + ") is " + type_text(outputs[i].dtype, shape) + ", not ";
        if (arrays[i].dtype() != outputs[i].dtype) throw TypeError(which + type_text(arrays[i].dtype(), arrays[i].shape()));
        if (arrays[i].shape() != shape) throw ValueError(which + type_text(arrays[i].dtype(), arrays[i].shape()));
        called.arrays.push_back(arrays[i].body()->memory);
    }
    std::vector<bool> contiguous;
    for (const array& each : arrays) contiguous.push_back(each.is_c_contiguous());
    arrays.clear();
    // Results are the caller's own: what the back end, or an argument, holds as well is copied.
    for (std::size_t i = 0; i < called.arrays.size(); ++i) {
        device::Memory& memory = called.arrays[i];
        if (!contiguous[i] || memory.buffer == nullptr || memory.buffer.use_count() > 1) memory = copied(memory);
    }
    return std::make_shared<const trace::Called>(std::move(called));
}

}  // namespace fastnp::detail
