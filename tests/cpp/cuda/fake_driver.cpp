#include "cuda/fake_driver.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>

namespace fastnp::cuda {

namespace {

constexpr int invalid_context = 201;
constexpr int invalid_ptx = 218;
constexpr int not_found = 500;

thread_local std::vector<Handle> context_stack;

struct Stream {};

struct Event {
    std::size_t after = 0;  // so many pieces of work of the stream
};

struct Link {
    char* log = nullptr;
    std::string image;
};

struct Module {
    std::string image;
    std::map<std::string, std::string> functions;
};

const std::byte* pointer_to(Address address) { return reinterpret_cast<const std::byte*>(static_cast<std::uintptr_t>(address)); }
std::byte* writable(Address address) { return const_cast<std::byte*>(pointer_to(address)); }

// Whether a range lies in one of the blocks.
bool lies_in(const std::map<const std::byte*, std::size_t>& blocks, const void* memory, std::size_t bytes) {
    const auto* const begin = static_cast<const std::byte*>(memory);
    auto after = blocks.upper_bound(begin);
    if (after == blocks.begin()) return false;
    --after;
    return begin + bytes <= after->first + after->second;
}

std::size_t sum(const std::map<const std::byte*, std::size_t>& blocks) {
    std::size_t bytes = 0;
    for (const auto& [begin, size] : blocks) bytes += size;
    return bytes;
}

}  // namespace

struct FakeDriver::State {
    std::recursive_mutex mutex;
    std::size_t memory = 0;
    std::map<std::string, int> calls;
    std::map<std::string, std::pair<int, int>> failing;  // error, times
    std::vector<std::string> log, misuses;
    std::map<const std::byte*, std::size_t> device, host;
    std::deque<std::function<int()>> work;
    std::size_t asked = 0, done = 0;
    int lasting = 0;
    int handles = 0;
    std::map<Handle, std::shared_ptr<void>> objects;  // streams, events, links, modules, graphs
    using Pieces = std::vector<std::function<int()>>;
    std::map<Handle, Pieces> captured;  // by stream, of those that are

    template <class Object>
    Object* make(Object object = {}) {
        auto made = std::make_shared<Object>(std::move(object));
        objects[made.get()] = made;
        ++handles;
        return made.get();
    }
    void destroy(Handle object, const char* function) {
        misuse(objects.erase(object) == 0, function);
        --handles;
    }

    void run(std::size_t until) {
        while (done < until && lasting == 0) {
            lasting = work.front()();
            work.pop_front();
            ++done;
        }
    }

    void ask(std::function<int()> piece, Handle stream = nullptr) {
        if (const auto found = captured.find(stream); found != captured.end()) return found->second.push_back(std::move(piece));
        work.push_back(std::move(piece));
        ++asked;
    }

    void misuse(bool wrong, const char* what) {
        if (wrong) misuses.emplace_back(what);
    }
};

namespace {

FakeDriver::State* now = nullptr;

// What every function does first: it is counted, and fails if it was told to, or if its caller has no context.
struct Call {
    enum Needs : std::uint8_t { nothing, context };

    explicit Call(const char* function, Needs needs = context) : state(*now), lock(state.mutex) {
        ++state.calls[function];
        if (!std::string_view(function).starts_with("cuCtx")) state.log.emplace_back(function);
        if (auto found = state.failing.find(function); found != state.failing.end() && found->second.second-- > 0) {
            error = found->second.first;
        } else if (state.lasting != 0 && needs == context) {
            error = state.lasting;
        } else if (needs == context && (context_stack.empty() || context_stack.back() != &state)) {
            state.misuses.push_back(std::string(function) + " without the context");
            error = invalid_context;
        }
    }
    /// The function's result, after its work.
    template <class Work>
    int then(Work&& work) {
        if (error != success) return error;
        work(state);
        return error;
    }

    FakeDriver::State& state;
    std::unique_lock<std::recursive_mutex> lock;
    int error = success;
};

int attribute_of(int attribute) {
    switch (attribute) {
        case capability_major: return 9;
        case multiprocessors: return 132;
        case threads_per_multiprocessor: return 2048;
        case blocks_per_multiprocessor: return 32;
        default: return 0;
    }
}

int name_of(int error, const char** name) {
    static const std::map<int, const char*> names{{2, "CUDA_ERROR_OUT_OF_MEMORY"},
                                                  {218, "CUDA_ERROR_INVALID_PTX"},
                                                  {500, "CUDA_ERROR_NOT_FOUND"},
                                                  {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                                                  {999, "CUDA_ERROR_UNKNOWN"}};
    const auto found = names.find(error);
    if (found == names.end()) return 1;
    *name = found->second;
    return success;
}

int text_of(int error, const char** text) {
    static const std::map<int, const char*> texts{{2, "out of memory"},
                                                  {218, "a PTX JIT compilation failed"},
                                                  {500, "named symbol not found"},
                                                  {700, "an illegal memory access was encountered"},
                                                  {999, "unknown error"}};
    const auto found = texts.find(error);
    if (found == texts.end()) return 1;
    *text = found->second;
    return success;
}

void devices(Driver& table) {
    table.init = [](unsigned) { return Call("cuInit", Call::nothing).error; };
    table.driver_get_version = [](int* version) { return Call("cuDriverGetVersion", Call::nothing).then([&](auto&) { *version = 13000; }); };
    table.get_error_name = name_of;
    table.get_error_string = text_of;
    table.device_get_count = [](int* count) { return Call("cuDeviceGetCount", Call::nothing).then([&](auto&) { *count = 1; }); };
    table.device_get = [](int* device, int ordinal) { return Call("cuDeviceGet", Call::nothing).then([&](auto&) { *device = ordinal; }); };
    table.device_get_name = [](char* name, int length, int) {
        return Call("cuDeviceGetName", Call::nothing).then([&](auto&) { std::strncpy(name, "Fake", static_cast<std::size_t>(length)); });
    };
    table.device_total_mem = [](std::size_t* bytes, int) {
        return Call("cuDeviceTotalMem", Call::nothing).then([&](auto& state) { *bytes = state.memory; });
    };
    table.device_get_attribute = [](int* value, int attribute, int) {
        return Call("cuDeviceGetAttribute", Call::nothing).then([&](auto&) { *value = attribute_of(attribute); });
    };
}

void contexts(Driver& table) {
    table.primary_context_retain = [](Handle* context, int) {
        return Call("cuDevicePrimaryCtxRetain", Call::nothing).then([&](auto& state) {
            ++state.handles;
            *context = &state;
        });
    };
    table.primary_context_release = [](int) { return Call("cuDevicePrimaryCtxRelease", Call::nothing).then([](auto& state) { --state.handles; }); };
    table.context_get_current = [](Handle* context) {
        return Call("cuCtxGetCurrent", Call::nothing).then([&](auto&) { *context = context_stack.empty() ? nullptr : context_stack.back(); });
    };
    table.context_push = [](Handle context) { return Call("cuCtxPushCurrent", Call::nothing).then([&](auto&) { context_stack.push_back(context); }); };
    table.context_pop = [](Handle* context) {
        return Call("cuCtxPopCurrent", Call::nothing).then([&](auto& state) {
            state.misuse(context_stack.empty(), "cuCtxPopCurrent without a context");
            *context = context_stack.back();
            context_stack.pop_back();
        });
    };
}

void streams(Driver& table) {
    table.stream_create = [](Handle* stream, unsigned flags) {
        return Call("cuStreamCreate").then([&](auto& state) {
            state.misuse(flags != 1, "a stream that waits for the default stream");
            *stream = state.make(Stream());
        });
    };
    table.stream_destroy = [](Handle stream) {
        return Call("cuStreamDestroy").then([&](auto& state) { state.destroy(stream, "cuStreamDestroy of no stream"); });
    };
    table.stream_synchronize = [](Handle stream) {
        Call call("cuStreamSynchronize");
        call.state.misuse(call.state.captured.contains(stream), "cuStreamSynchronize of a stream that is captured");
        if (call.error == success) call.state.run(call.state.asked);
        return call.error != success ? call.error : call.state.lasting;
    };
    table.event_create = [](Handle* event, unsigned) { return Call("cuEventCreate").then([&](auto& state) { *event = state.template make<Event>(); }); };
    table.event_destroy = [](Handle event) {
        return Call("cuEventDestroy").then([&](auto& state) { state.destroy(event, "cuEventDestroy of no event"); });
    };
    table.event_record = [](Handle event, Handle) {
        return Call("cuEventRecord").then([&](auto& state) { static_cast<Event*>(event)->after = state.asked; });
    };
    // A millisecond is a piece of work.
    table.event_elapsed_time = [](float* milliseconds, Handle start, Handle end) {
        return Call("cuEventElapsedTime").then([&](auto& state) {
            const std::size_t from = static_cast<Event*>(start)->after, to = static_cast<Event*>(end)->after;
            state.misuse(state.done < to, "cuEventElapsedTime of events that are not reached");
            *milliseconds = static_cast<float>(to) - static_cast<float>(from);
        });
    };
    table.stream_wait_event = [](Handle, Handle, unsigned) { return Call("cuStreamWaitEvent").error; };
    table.context_synchronize = [] {
        Call call("cuCtxSynchronize");
        call.state.misuse(!call.state.captured.empty(), "cuCtxSynchronize while a stream is captured");
        if (call.error == success) call.state.run(call.state.asked);
        return call.error != success ? call.error : call.state.lasting;
    };
    table.context_record_event = [](Handle, Handle event) {
        return Call("cuCtxRecordEvent").then([&](auto& state) {
            state.misuse(!state.captured.empty(), "cuCtxRecordEvent while a stream is captured");
            static_cast<Event*>(event)->after = state.asked;
        });
    };
    table.context_wait_event = [](Handle, Handle) { return Call("cuCtxWaitEvent").error; };
    table.event_synchronize = [](Handle event) {
        Call call("cuEventSynchronize");
        if (call.error == success) call.state.run(static_cast<Event*>(event)->after);
        return call.error != success ? call.error : call.state.lasting;
    };
}

void memory(Driver& table) {
    table.memory_get_info = [](std::size_t* free, std::size_t* total) {
        return Call("cuMemGetInfo").then([&](auto& state) {
            *total = state.memory;
            *free = state.memory - sum(state.device);
        });
    };
    table.pointer_get_attribute = [](void* value, int attribute, Address address) {
        Call call("cuPointerGetAttribute", Call::nothing);
        if (call.error != success) return call.error;
        if (!lies_in(call.state.device, pointer_to(address), 1)) return 1;
        const int found = attribute == memory_type ? 2 : 0;
        std::memcpy(value, &found, sizeof found);
        return static_cast<int>(success);
    };
    table.memory_allocate = [](Address* address, std::size_t bytes) {
        Call call("cuMemAlloc");
        if (call.error != success) return call.error;
        if (sum(call.state.device) + bytes > call.state.memory) return static_cast<int>(out_of_memory);
        const auto* block = static_cast<const std::byte*>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
        call.state.device[block] = bytes;
        *address = reinterpret_cast<std::uintptr_t>(block);
        return static_cast<int>(success);
    };
    table.memory_free = [](Address address) {
        return Call("cuMemFree").then([&](auto& state) {
            state.misuse(!state.work.empty(), "cuMemFree while work is under way");
            state.misuse(state.device.erase(pointer_to(address)) == 0, "cuMemFree of no block");
            std::free(writable(address));
        });
    };
    table.host_allocate = [](void** memory, std::size_t bytes, unsigned) {
        return Call("cuMemHostAlloc").then([&](auto& state) {
            *memory = std::malloc(bytes);
            state.host[static_cast<const std::byte*>(*memory)] = bytes;
        });
    };
    table.host_free = [](void* memory) {
        return Call("cuMemFreeHost").then([&](auto& state) {
            state.misuse(state.host.erase(static_cast<const std::byte*>(memory)) == 0, "cuMemFreeHost of no block");
            std::free(memory);
        });
    };
}

// A copy is done later, from and to memory as it is then.
int copy(const char* function, std::byte* to, const std::byte* from, std::size_t bytes, bool to_device, bool from_device) {
    return Call(function).then([&](auto& state) {
        state.misuse((!to_device && !lies_in(state.host, to, bytes)) || (!from_device && !lies_in(state.host, from, bytes)),
                     "a copy that is not page-locked");
        state.ask([&state, to, from, bytes, to_device, from_device] {
            if (!lies_in(to_device ? state.device : state.host, to, bytes)) return FakeDriver::illegal_address;
            if (!lies_in(from_device ? state.device : state.host, from, bytes)) return FakeDriver::illegal_address;
            std::memmove(to, from, bytes);
            return static_cast<int>(success);
        });
    });
}

void copies(Driver& table) {
    table.copy_to_device = [](Address to, const void* from, std::size_t bytes, Handle) {
        return copy("cuMemcpyHtoDAsync", writable(to), static_cast<const std::byte*>(from), bytes, true, false);
    };
    table.copy_to_host = [](void* to, Address from, std::size_t bytes, Handle) {
        return copy("cuMemcpyDtoHAsync", static_cast<std::byte*>(to), pointer_to(from), bytes, false, true);
    };
    table.memory_set = [](Address to, unsigned char value, std::size_t bytes, Handle) {
        return Call("cuMemsetD8Async").then([&](auto& state) {
            state.ask([&state, to, value, bytes] {
                if (!lies_in(state.device, pointer_to(to), bytes)) return FakeDriver::illegal_address;
                std::memset(writable(to), value, bytes);
                return static_cast<int>(success);
            });
        });
    };
    table.copy_from_peer = [](Address to, Handle to_context, Address from, Handle from_context, std::size_t bytes, Handle) {
        now->misuse(to_context != now || from_context != now, "a copy between contexts that are not there");
        return copy("cuMemcpyPeerAsync", writable(to), pointer_to(from), bytes, true, true);
    };
    table.context_enable_peer = [](Handle, unsigned) { return Call("cuCtxEnablePeerAccess").error; };
    table.copy_on_device = [](Address to, Address from, std::size_t bytes, Handle) {
        return copy("cuMemcpyDtoDAsync", writable(to), pointer_to(from), bytes, true, true);
    };
}

void links(Driver& table) {
    table.link_create = [](unsigned count, int* options, void** values, Handle* link) {
        return Call("cuLinkCreate").then([&](auto& state) {
            auto* const made = state.template make<Link>();
            for (unsigned i = 0; i < count; ++i) {
                if (options[i] == 5) made->log = static_cast<char*>(values[i]);
            }
            *link = made;
        });
    };
    table.link_add_data = [](Handle link, int, void* data, std::size_t bytes, const char*, unsigned, int*, void**) {
        Call call("cuLinkAddData");
        if (call.error != success) return call.error;
        auto* const into = static_cast<Link*>(link);
        const std::string text(static_cast<const char*>(data), bytes - 1);
        if (text.find("nonsense") != std::string::npos) {
            std::strcpy(into->log, "ptxas application ptx input, line 1; fatal   : Parsing error near 'nonsense'\n");
            return invalid_ptx;
        }
        into->image = "machine code of " + text;
        return static_cast<int>(success);
    };
    table.link_complete = [](Handle link, void** image, std::size_t* bytes) {
        return Call("cuLinkComplete").then([&](auto&) {
            *image = static_cast<Link*>(link)->image.data();
            *bytes = static_cast<Link*>(link)->image.size();
        });
    };
    table.link_destroy = [](Handle link) { return Call("cuLinkDestroy").then([&](auto& state) { state.destroy(link, "cuLinkDestroy of no link"); }); };
}

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

void modules(Driver& table) {
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

void graphs(Driver& table) {
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

}  // namespace

FakeDriver::FakeDriver(std::size_t memory) : state_(std::make_unique<State>()) {
    state_->memory = memory;
    now = state_.get();
    devices(driver_);
    contexts(driver_);
    streams(driver_);
    cuda::memory(driver_);
    copies(driver_);
    links(driver_);
    modules(driver_);
    captures(driver_);
    graph_nodes(driver_);
    graphs(driver_);
    driver_.devices = 1;
}

// What a device that has gone wrong could not give back is no leak of ours.
FakeDriver::~FakeDriver() {
    for (const auto& [block, bytes] : state_->device) std::free(const_cast<std::byte*>(block));
    for (const auto& [block, bytes] : state_->host) std::free(const_cast<std::byte*>(block));
    now = nullptr;
}

int FakeDriver::calls(const std::string& function) const {
    const std::scoped_lock lock(state_->mutex);
    return state_->calls[function];
}

std::vector<std::string> FakeDriver::log() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->log;
}

void FakeDriver::clear_log() {
    const std::scoped_lock lock(state_->mutex);
    state_->log.clear();
}

void FakeDriver::fail(const std::string& function, int error, int times) {
    const std::scoped_lock lock(state_->mutex);
    state_->failing[function] = {error, times};
}

int FakeDriver::call(const char* function, std::function<int()> work, Handle stream) {
    return Call(function).then([&](auto& state) {
        if (work) state.ask(std::move(work), stream);
    });
}

bool FakeDriver::owns(const void* memory, std::size_t bytes) {
    const std::scoped_lock lock(now->mutex);
    return lies_in(now->device, memory, bytes);
}

std::size_t FakeDriver::device_bytes() const { return sum(state_->device); }
std::size_t FakeDriver::host_bytes() const { return sum(state_->host); }
int FakeDriver::handles() const { return state_->handles; }
std::size_t FakeDriver::pending() const { return state_->work.size(); }
std::vector<std::string> FakeDriver::misuses() const { return state_->misuses; }

}  // namespace fastnp::cuda
