#include "graph.h"

#include <exception>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "fastnp/error.h"

namespace fastnp::cuda {

namespace {

Address address_of(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

const LoadedModule& module_of(const device::Launch& launch) { return static_cast<const LoadedModule&>(*launch.module); }

KernelNode node_of(const device::Launch& launch) {
    KernelNode node;
    node.function = module_of(launch).function(launch.kernel);
    node.blocks_x = static_cast<unsigned>(launch.blocks);
    node.threads_x = static_cast<unsigned>(launch.threads);
    node.arguments = const_cast<void**>(launch.arguments.data());  // the driver's interface has no const
    return node;
}

CopyNode node_of(const device::Copy& copy) {
    CopyNode node;
    node.from.address = address_of(copy.from);
    node.to.address = address_of(copy.to);
    node.bytes = copy.bytes;
    return node;
}

ClearNode node_of(const device::Clear& clear) {
    ClearNode node;
    node.to = address_of(clear.memory);
    node.elements = clear.bytes;
    return node;
}

}  // namespace

bool WorkGraph::is_known_to(const Driver& driver) {
    return driver.stream_begin_capture != nullptr && driver.stream_end_capture != nullptr && driver.graph_create != nullptr &&
           driver.graph_add_kernel != nullptr && driver.graph_add_copy != nullptr && driver.graph_add_clear != nullptr &&
           driver.graph_add_child != nullptr && driver.graph_instantiate != nullptr && driver.graph_destroy != nullptr &&
           driver.graph_set_kernel != nullptr && driver.graph_set_copy != nullptr && driver.graph_set_clear != nullptr &&
           driver.graph_set_child != nullptr && driver.graph_launch != nullptr && driver.graph_executable_destroy != nullptr;
}

WorkGraph::WorkGraph(std::shared_ptr<Context> context, Capture& capture, bool kernels_overlap, std::span<const device::Work> work)
    : context_(std::move(context)), capture_(capture), kernels_overlap_(kernels_overlap && context_->driver().graph_add_dependencies != nullptr) {
    const Current current(*context_);
    try {
        build(work);
    } catch (...) {
        destroy();
        throw;
    }
}

// Adds nodes for pieces of work, each after the one that was added before it.
class WorkGraph::Adding {
public:
    explicit Adding(WorkGraph& graph) : graph_(graph), context_(*graph.context_) {}

    void operator()(const device::Launch& launch) {
        const LoadedModule& module = module_of(launch);
        if (&module.context() != &context_) throw InternalError("a graph of another device's kernels");
        if (launch.kernel >= module.count()) throw InternalError("a graph of a kernel that its module lacks");
        if (launch.blocks < 1 || launch.blocks > std::numeric_limits<std::int32_t>::max()) {
            throw InternalError("a grid of " + std::to_string(launch.blocks) + " blocks in a graph");
        }
        const KernelNode kernel = node_of(launch);
        const auto add_kernel = [&](auto... where) { return context_.driver().graph_add_kernel(where..., &kernel); };
        if (graph_.kernels_overlap_ && is_after_kernel_) add_overlapping(module.shared_from_this(), add_kernel);
        else add("cuGraphAddKernelNode", module.shared_from_this(), add_kernel);
        is_after_kernel_ = true;
        graph_.launched_.push_back(module.name(launch.kernel));
    }
    void operator()(const device::Copy& copy) {
        const CopyNode node = node_of(copy);
        add("cuGraphAddMemcpyNode", nullptr, [&](auto... where) { return context_.driver().graph_add_copy(where..., &node, context_.handle()); });
    }
    void operator()(const device::Clear& clear) {
        const ClearNode node = node_of(clear);
        add("cuGraphAddMemsetNode", nullptr, [&](auto... where) { return context_.driver().graph_add_clear(where..., &node, context_.handle()); });
    }
    template <class LibraryWork>
    void operator()(const LibraryWork& work) {
        const Captured captured = graph_.capture_.take(work);
        add("cuGraphAddChildGraphNode", captured.kept(), [&](auto... where) { return context_.driver().graph_add_child(where..., captured.graph()); });
        ++(std::is_same_v<LibraryWork, device::Contraction> ? graph_.products_ : graph_.transforms_);
    }

private:
    // A kernel after a kernel.
    template <class Call>
    void add_overlapping(std::shared_ptr<const void> kept, Call call) {
        Node node{nullptr, std::move(kept)};
        context_.check(call(&node.handle, graph_.graph_, nullptr, std::size_t{0}), "cuGraphAddKernelNode");
        const GraphEdge edge{GraphEdge::programmatic, 0, GraphEdge::programmatic};
        const Handle before = graph_.nodes_.back().handle;
        context_.check(context_.driver().graph_add_dependencies(graph_.graph_, &before, &node.handle, &edge, 1), "cuGraphAddDependencies");
        graph_.nodes_.push_back(std::move(node));
    }
    template <class Call>
    void add(const char* function, std::shared_ptr<const void> kept, Call call) {
        Node node{nullptr, std::move(kept)};
        const Handle* const before = graph_.nodes_.empty() ? nullptr : &graph_.nodes_.back().handle;
        context_.check(call(&node.handle, graph_.graph_, before, before == nullptr ? std::size_t{0} : std::size_t{1}), function);
        graph_.nodes_.push_back(std::move(node));
        is_after_kernel_ = false;
    }

    WorkGraph& graph_;
    Context& context_;
    bool is_after_kernel_ = false;
};

// Gives a node other addresses.
class WorkGraph::Setting {
public:
    Setting(WorkGraph& graph, Node& node) : graph_(graph), context_(*graph.context_), node_(node) {}

    void operator()(const device::Launch& launch) {
        const KernelNode kernel = node_of(launch);
        context_.check(context_.driver().graph_set_kernel(graph_.executable_, node_.handle, &kernel), "cuGraphExecKernelNodeSetParams");
    }
    void operator()(const device::Copy& copy) {
        const CopyNode node = node_of(copy);
        context_.check(context_.driver().graph_set_copy(graph_.executable_, node_.handle, &node, context_.handle()), "cuGraphExecMemcpyNodeSetParams");
    }
    void operator()(const device::Clear& clear) {
        const ClearNode node = node_of(clear);
        context_.check(context_.driver().graph_set_clear(graph_.executable_, node_.handle, &node, context_.handle()), "cuGraphExecMemsetNodeSetParams");
    }
    template <class LibraryWork>
    void operator()(const LibraryWork& work) {
        const Captured captured = graph_.capture_.take(work);
        context_.check(context_.driver().graph_set_child(graph_.executable_, node_.handle, captured.graph()), "cuGraphExecChildGraphNodeSetParams");
        node_.kept = captured.kept();
    }

private:
    WorkGraph& graph_;
    Context& context_;
    Node& node_;
};

constexpr auto no_detail = [] { return ""; };

void WorkGraph::build(std::span<const device::Work> work) {
    context_->check(context_->driver().graph_create(&graph_, 0), "cuGraphCreate");
    Adding adding(*this);
    for (const device::Work& each : work) std::visit(adding, each);
    context_->check_with_memory([&] { return context_->driver().graph_instantiate(&executable_, graph_, 0); }, "cuGraphInstantiate", no_detail);
}

WorkGraph::~WorkGraph() {
    if (!context_->is_usable()) return;
    try {
        const Current current(*context_);
        destroy();
    } catch (const std::exception&) {  // NOLINT: the context is gone, and its graphs with it
    }
}

void WorkGraph::destroy() noexcept {
    if (executable_ != nullptr) context_->driver().graph_executable_destroy(executable_);
    if (graph_ != nullptr) context_->driver().graph_destroy(graph_);
}

void WorkGraph::set(std::size_t place, const device::Work& work) {
    const Current current(*context_);
    std::visit(Setting(*this, nodes_[place]), work);
}

void WorkGraph::launch() {
    const Current current(*context_);
    context_->check_with_memory([&] { return context_->driver().graph_launch(executable_, context_->stream()); }, "cuGraphLaunch", no_detail);
    context_->launches().add(launched_);
    if (products_ + transforms_ != 0) capture_.count(products_, transforms_);
}

}  // namespace fastnp::cuda
