#include "graph.h"

#include <exception>
#include <limits>
#include <string>
#include <utility>

#include "fastnp/error.h"

namespace fastnp::cuda {

namespace {

void** driver_form(std::span<void* const> arguments) { return const_cast<void**>(arguments.data()); }  // the driver's interface has no const

}  // namespace

bool LaunchGraph::is_known_to(const Driver& driver) {
    return driver.graph_create != nullptr && driver.graph_add_kernel != nullptr && driver.graph_instantiate != nullptr &&
           driver.graph_destroy != nullptr && driver.graph_set_kernel != nullptr && driver.graph_launch != nullptr &&
           driver.graph_executable_destroy != nullptr;
}

LaunchGraph::LaunchGraph(std::shared_ptr<Context> context, std::shared_ptr<const LoadedModule> module, std::span<const device::Launch> launches)
    : context_(std::move(context)), module_(std::move(module)) {
    const Current current(*context_);
    try {
        build(launches);
    } catch (...) {
        destroy();
        throw;
    }
}

// Each launch comes after the one before it.
void LaunchGraph::build(std::span<const device::Launch> launches) {
    const Driver& driver = context_->driver();
    context_->check(driver.graph_create(&graph_, 0), "cuGraphCreate");
    for (const device::Launch& launch : launches) {
        if (launch.kernel >= module_->count()) throw InternalError("a graph of a kernel that its module lacks");
        if (launch.blocks < 1 || launch.blocks > std::numeric_limits<std::int32_t>::max()) {
            throw InternalError("a grid of " + std::to_string(launch.blocks) + " blocks in a graph");
        }
        KernelNode kernel;
        kernel.function = module_->function(launch.kernel);
        kernel.blocks_x = static_cast<unsigned>(launch.blocks);
        kernel.threads_x = static_cast<unsigned>(launch.threads);
        kernels_.push_back(kernel);
        launched_.push_back(launch.kernel);
        kernel.arguments = driver_form(launch.arguments);
        Handle node = nullptr;
        const Handle* const before = nodes_.empty() ? nullptr : &nodes_.back();
        context_->check(driver.graph_add_kernel(&node, graph_, before, nodes_.empty() ? 0 : 1, &kernel), "cuGraphAddKernelNode");
        nodes_.push_back(node);
    }
    context_->check(driver.graph_instantiate(&executable_, graph_, 0), "cuGraphInstantiate");
}

LaunchGraph::~LaunchGraph() {
    if (!context_->is_usable()) return;
    try {
        const Current current(*context_);
        destroy();
    } catch (const std::exception&) {  // NOLINT: the context is gone, and its graphs with it
    }
}

void LaunchGraph::destroy() noexcept {
    if (executable_ != nullptr) context_->driver().graph_executable_destroy(executable_);
    if (graph_ != nullptr) context_->driver().graph_destroy(graph_);
}

void LaunchGraph::set(std::size_t place, std::span<void* const> arguments) {
    KernelNode kernel = kernels_[place];
    kernel.arguments = driver_form(arguments);
    const Current current(*context_);
    context_->check(context_->driver().graph_set_kernel(executable_, nodes_[place], &kernel), "cuGraphExecKernelNodeSetParams");
}

void LaunchGraph::launch() {
    const Current current(*context_);
    context_->check(context_->driver().graph_launch(executable_, context_->stream()), "cuGraphLaunch");
    context_->launches().add(module_->symbols(), launched_);
}

}  // namespace fastnp::cuda
