#include "cuda/fake_driver.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "cuda/fake_state.h"

namespace fastnp::cuda {

namespace {

constexpr int invalid_ptx = 218;

struct Stream {};

struct Event {
    std::size_t after = 0;  // so many pieces of work of the stream
};

struct Link {
    char* log = nullptr;
    bool keeps_lines = false;
    std::string image;
};

std::size_t sum(const std::map<const std::byte*, std::size_t>& blocks) {
    std::size_t bytes = 0;
    for (const auto& [begin, size] : blocks) bytes += size;
    return bytes;
}

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
                if (options[i] == 13) made->keeps_lines = values[i] != nullptr;
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
        into->image = (into->keeps_lines ? "machine code with lines of " : "machine code of ") + text;
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

}  // namespace

FakeDriver::FakeDriver(std::size_t memory) : state_(std::make_unique<State>()) {
    state_->memory = memory;
    now = state_.get();
    context_stack.clear();  // this thread had that of the driver before
    devices(driver_);
    contexts(driver_);
    streams(driver_);
    cuda::memory(driver_);
    copies(driver_);
    links(driver_);
    fake_kernels(driver_);
    fake_graphs(driver_);
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
