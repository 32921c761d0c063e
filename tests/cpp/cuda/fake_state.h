// What the functions of the fake driver (fake_driver.h) share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/fake_driver.h"

namespace fastnp::cuda {

inline thread_local std::vector<Handle> context_stack;

inline const std::byte* pointer_to(Address address) { return reinterpret_cast<const std::byte*>(static_cast<std::uintptr_t>(address)); }
inline std::byte* writable(Address address) { return const_cast<std::byte*>(pointer_to(address)); }

// Whether a range lies in one of the blocks.
inline bool lies_in(const std::map<const std::byte*, std::size_t>& blocks, const void* memory, std::size_t bytes) {
    const auto* const begin = static_cast<const std::byte*>(memory);
    auto after = blocks.upper_bound(begin);
    if (after == blocks.begin()) return false;
    --after;
    return begin + bytes <= after->first + after->second;
}

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

// The newest one's.
inline FakeDriver::State* now = nullptr;

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
            error = 201;  // CUDA_ERROR_INVALID_CONTEXT
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

/// Modules and their launches; graphs and captures.
void fake_kernels(Driver& table);
void fake_graphs(Driver& table);

}  // namespace fastnp::cuda
