// Launches that are held back, to be asked for together: where the same kernels are launched again and again, as a graph.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "device/backend.h"

namespace fastnp::plan {

/// Of one module's kernels. What comes after a launch that was added must be asked for after flush(), and memory that a launch uses be kept until then.
class DeviceBatch {
public:
    /// Fewer are launched one by one: a graph of them would be no faster.
    static constexpr std::size_t least = 8;
    /// At so many they are asked for in any case, so that the device does not wait for long.
    static constexpr std::size_t most = 128;

    /// `repeats`: what is added comes again and again without drop(), as the turns of a loop do. Else each flush() between two of these has a graph of its
    /// own: it would be given the same memory the next time.
    DeviceBatch(device::Backend& backend, bool repeats) : backend_(backend), repeats_(repeats) {}

    /// `given`: the kernel's arguments, which are copied.
    void add(const std::shared_ptr<device::Module>& module, std::size_t kernel, std::int64_t blocks, int threads, std::span<const std::int64_t> given);
    void flush();
    /// Forgets what was added; what comes next is what came first.
    void drop() noexcept;

private:
    struct Launch {
        std::size_t kernel = 0;
        std::int64_t blocks = 0;
        int threads = 0;
        std::size_t first = 0, count = 0;  // of what it is given
        friend bool operator==(const Launch&, const Launch&) = default;
    };
    // Launches that were asked for before, and what they were given.
    struct Known {
        std::vector<Launch> launches;
        std::vector<std::int64_t> given;
        std::size_t place = 0;
        int times = 1;
        std::unique_ptr<device::Graph> graph{};
    };
    static constexpr std::size_t most_known = 64;
    static constexpr int worth_a_graph = 3;  // at this time it is made

    Known& known();
    void make_graph(Known& known);
    void launch_one_by_one();
    void clear() noexcept;
    void launch(Known& known);
    std::span<void* const> arguments_of(const Launch& launch);

    device::Backend& backend_;
    const bool repeats_;
    std::size_t place_ = 0;  // flushes since drop()
    std::shared_ptr<device::Module> module_;
    std::vector<Launch> launches_;
    std::vector<std::int64_t> given_;
    std::vector<void*> addresses_;  // of what one launch is given
    std::vector<std::unique_ptr<Known>> known_;  // the last used first
};

}  // namespace fastnp::plan
