// Of the fake driver: modules, kernels, and graphs of these and of other work.
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "cuda/fake_state.h"

namespace fastnp::cuda {

namespace {

constexpr int not_found = 500;

struct Module {
    std::string image;
    std::map<std::string, std::string> functions;
};

// A launch as it was asked for, or as a graph has it.
struct Launched {
    std::string name;
    std::array<std::uint64_t, 3> values{};

    Launched(Handle function, void** arguments) : name(*static_cast<const std::string*>(function)) {
        for (std::size_t i = 0; name == "fill" && i < values.size(); ++i) std::memcpy(&values[i], arguments[i], 8);
    }
};

// A node: a kernel, or other work, in so many pieces.
struct Node {
    std::string kind;
    std::array<std::uint64_t, 3> values{};  // of a kernel
    FakeDriver::State::Pieces pieces{};

    explicit Node(const Launched& launched) : kind("kernel " + launched.name), values(launched.values) {}
    Node(std::string kind, FakeDriver::State::Pieces pieces) : kind(std::move(kind)), pieces(std::move(pieces)) {}
    bool is_like(const Node& other) const { return kind == other.kind && pieces.size() == other.pieces.size(); }
};

struct Graph {
    std::vector<Node> nodes{};
    bool ends_loose = false;  // the last comes after none
};

// "illegal" leaves an error, "fill" fills.
int run_kernel(FakeDriver::State& state, const std::string& name, const std::array<std::uint64_t, 3>& arguments) {
    if (name == "illegal") return FakeDriver::illegal_address;
    if (name != "fill") return success;
    if (!lies_in(state.device, pointer_to(arguments[0]), arguments[1] * 8)) return FakeDriver::illegal_address;
    for (std::uint64_t i = 0; i < arguments[1]; ++i) std::memcpy(writable(arguments[0] + i * 8), &arguments[2], 8);
    return success;
}

// Adds a node; nodes are chained, and a node's handle is its place, counted from 1. A kernel's may be told later what it comes after.
int add_node(const char* function, Handle* handle, Handle graph, const Handle* after, std::size_t after_count, const Node& node) {
    return Call(function).then([&](auto& state) {
        auto& made = *static_cast<Graph*>(graph);
        const auto last = reinterpret_cast<Handle>(made.nodes.size());
        state.misuse(made.ends_loose, "a node after one that comes after none");
        made.ends_loose = !made.nodes.empty() && after_count == 0 && node.kind.starts_with("kernel ");
        const bool is_after = made.nodes.empty() ? after_count == 0 : after_count == 1 && *after == last;
        state.misuse(!is_after && !made.ends_loose, "a node that does not come after the one before it");
        made.nodes.push_back(node);
        *handle = reinterpret_cast<Handle>(made.nodes.size());
    });
}

// The last node, a kernel, comes after the one before it, which is another and says when.
int add_edge(Handle graph, const Handle* from, const Handle* to, const GraphEdge* edge, std::size_t count) {
    return Call("cuGraphAddDependencies").then([&](auto& state) {
        auto& made = *static_cast<Graph*>(graph);
        const std::size_t nodes = made.nodes.size();
        const bool is_chained = count == 1 && *to == reinterpret_cast<Handle>(nodes) && *from == reinterpret_cast<Handle>(nodes - 1);
        state.misuse(!made.ends_loose || !is_chained, "a dependency of other nodes than the last two");
        state.misuse(edge->from_port != 1 || edge->to_port != 0 || edge->type != 1, "a dependency that could be a plain one");
        state.misuse(nodes > 1 && !made.nodes[nodes - 2].kind.starts_with("kernel "), "a dependency on what is no kernel");
        made.ends_loose = false;
    });
}

int set_node(const char* function, Handle executable, Handle handle, const Node& node) {
    Call call(function);
    if (call.error != success) return call.error;
    auto& nodes = static_cast<Graph*>(executable)->nodes;
    const auto place = reinterpret_cast<std::uintptr_t>(handle);
    if (place == 0 || place > nodes.size() || nodes[place - 1].kind != node.kind) {
        call.state.misuses.emplace_back("another node in the place of one");
        return 1;
    }
    if (!nodes[place - 1].is_like(node)) return 1;  // a graph within a graph, of another form
    nodes[place - 1] = node;
    return success;
}

Node node_of(const KernelNode* kernel) { return Node(Launched(kernel->function, kernel->arguments)); }

Node node_of(const CopyNode* copy) {
    now->misuse(copy->from.kind != 2 || copy->to.kind != 2 || copy->rows != 1 || copy->planes != 1, "a copy of another kind");
    return {"copy", {[to = copy->to.address, from = copy->from.address, bytes = copy->bytes] {
                if (!lies_in(now->device, pointer_to(to), bytes) || !lies_in(now->device, pointer_to(from), bytes)) return FakeDriver::illegal_address;
                std::memmove(writable(to), pointer_to(from), bytes);
                return static_cast<int>(success);
            }}};
}

Node node_of(const ClearNode* clear) {
    now->misuse(clear->element_bytes != 1 || clear->rows != 1 || clear->value != 0, "a memory set of another kind");
    return {"clear", {[to = clear->to, bytes = clear->elements] {
                if (!lies_in(now->device, pointer_to(to), bytes)) return FakeDriver::illegal_address;
                std::memset(writable(to), 0, bytes);
                return static_cast<int>(success);
            }}};
}

// What was captured is the first node's.
Node child_of(Handle graph) { return {"child", static_cast<Graph*>(graph)->nodes.at(0).pieces}; }

void captures(Driver& table) {
    table.stream_begin_capture = [](Handle stream, int mode) {
        return Call("cuStreamBeginCapture").then([&](auto& state) {
            state.misuse(mode != 2, "a capture that forbids others something");
            state.misuse(!state.captured.try_emplace(stream).second, "a stream that is captured already");
        });
    };
    // After an error the stream is not captured any more, either.
    table.stream_end_capture = [](Handle stream, Handle* graph) {
        auto found = now->captured.extract(stream);
        return Call("cuStreamEndCapture").then([&](auto& state) {
            state.misuse(found.empty(), "a stream that is not captured");
            *graph = state.make(Graph{{Node("captured", found.empty() ? FakeDriver::State::Pieces() : std::move(found.mapped()))}, false});
        });
    };
}

void graph_nodes(Driver& table) {
    table.graph_add_kernel = [](Handle* node, Handle graph, const Handle* after, std::size_t after_count, const KernelNode* kernel) {
        return add_node("cuGraphAddKernelNode", node, graph, after, after_count, node_of(kernel));
    };
    table.graph_add_copy = [](Handle* node, Handle graph, const Handle* after, std::size_t after_count, const CopyNode* copy, Handle context) {
        now->misuse(context != now, "a copy in another context");
        return add_node("cuGraphAddMemcpyNode", node, graph, after, after_count, node_of(copy));
    };
    table.graph_add_clear = [](Handle* node, Handle graph, const Handle* after, std::size_t after_count, const ClearNode* clear, Handle context) {
        now->misuse(context != now, "a memory set in another context");
        return add_node("cuGraphAddMemsetNode", node, graph, after, after_count, node_of(clear));
    };
    table.graph_add_child = [](Handle* node, Handle graph, const Handle* after, std::size_t after_count, Handle child) {
        return add_node("cuGraphAddChildGraphNode", node, graph, after, after_count, child_of(child));
    };
    table.graph_add_dependencies = &add_edge;
    table.graph_set_kernel = [](Handle executable, Handle node, const KernelNode* kernel) {
        return set_node("cuGraphExecKernelNodeSetParams", executable, node, node_of(kernel));
    };
    table.graph_set_copy = [](Handle executable, Handle node, const CopyNode* copy, Handle) {
        return set_node("cuGraphExecMemcpyNodeSetParams", executable, node, node_of(copy));
    };
    table.graph_set_clear = [](Handle executable, Handle node, const ClearNode* clear, Handle) {
        return set_node("cuGraphExecMemsetNodeSetParams", executable, node, node_of(clear));
    };
    table.graph_set_child = [](Handle executable, Handle node, Handle child) {
        return set_node("cuGraphExecChildGraphNodeSetParams", executable, node, child_of(child));
    };
}

}  // namespace

void fake_kernels(Driver& table) {
    table.module_load = [](Handle* module, const void* image, unsigned, int*, void**) {
        return Call("cuModuleLoadDataEx").then([&](auto& state) { *module = state.make(Module{static_cast<const char*>(image), {}}); });
    };
    table.module_unload = [](Handle module) {
        return Call("cuModuleUnload").then([&](auto& state) {
            state.misuse(!state.work.empty(), "cuModuleUnload while work is under way");
            state.destroy(module, "cuModuleUnload of no module");
        });
    };
    table.module_get_function = [](Handle* function, Handle module, const char* name) {
        Call call("cuModuleGetFunction");
        if (call.error != success) return call.error;
        auto& loaded = *static_cast<Module*>(module);
        if (loaded.image.find(name) == std::string::npos) return not_found;
        *function = &(loaded.functions[name] = name);
        return static_cast<int>(success);
    };
    table.launch_kernel = [](Handle function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void** arguments, void**) {
        return Call("cuLaunchKernel").then([&](auto& state) {
            state.ask([&state, launched = Launched(function, arguments)] { return run_kernel(state, launched.name, launched.values); });
        });
    };
    table.launch_kernel_as = [](const LaunchSettings* settings, Handle function, void** arguments, void**) {
        return Call("cuLaunchKernelEx").then([&](auto& state) {
            const bool may_overlap = settings->attribute_count == 1 && settings->attributes->id == LaunchAttribute::may_overlap;
            state.misuse(!may_overlap || settings->attributes->value[0] != 1, "cuLaunchKernelEx of a launch that could be a plain one");
            state.ask([&state, launched = Launched(function, arguments)] { return run_kernel(state, launched.name, launched.values); });
        });
    };
}

void fake_graphs(Driver& table) {
    captures(table);
    graph_nodes(table);
    table.graph_create = [](Handle* graph, unsigned) { return Call("cuGraphCreate").then([&](auto& state) { *graph = state.make(Graph()); }); };
    table.graph_destroy = [](Handle graph) {
        return Call("cuGraphDestroy").then([&](auto& state) { state.destroy(graph, "cuGraphDestroy of no graph"); });
    };
    table.graph_instantiate = [](Handle* executable, Handle graph, unsigned long long) {
        return Call("cuGraphInstantiate").then([&](auto& state) {
            state.misuse(static_cast<Graph*>(graph)->ends_loose, "a graph whose last node comes after none");
            *executable = state.make(Graph(*static_cast<Graph*>(graph)));
        });
    };
    table.graph_executable_destroy = [](Handle executable) {
        return Call("cuGraphExecDestroy").then([&](auto& state) { state.destroy(executable, "cuGraphExecDestroy of no graph"); });
    };
    table.graph_launch = [](Handle executable, Handle) {
        return Call("cuGraphLaunch").then([&](auto& state) {
            state.ask([&state, nodes = static_cast<Graph*>(executable)->nodes] {
                for (const Node& node : nodes) {
                    int error = node.pieces.empty() && node.kind.starts_with("kernel ") ? run_kernel(state, node.kind.substr(7), node.values) : success;
                    for (const auto& piece : node.pieces) error = error == success ? piece() : error;
                    if (error != success) return error;
                }
                return static_cast<int>(success);
            });
        });
    };
}

}  // namespace fastnp::cuda
