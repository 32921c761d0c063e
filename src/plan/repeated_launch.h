// A kernel that is launched again and again with the same arguments.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "device/backend.h"

namespace fastnp::plan {

/// Launches of one kernel. What it is given comes again, as a rule: memory of results that are dropped serves the next ones. Then a graph of the launch
/// alone takes the driver half of the time that the launch takes (on an H200, 1.2 microseconds, not 2.4 to 3.2), as nothing is laid out for it anew. Where
/// another kernel may be running, and this one is more than the device does at once, the launch is what saves time: it begins while the one before ends.
class RepeatedLaunch {
public:
    /// As Backend::launch. `given`: what `addresses` are of.
    void launch(device::Backend& backend, const device::Module& module, std::size_t kernel, std::int64_t blocks, int threads,
                std::span<const std::int64_t> given, std::span<void* const> addresses);

private:
    struct Known {
        const device::Module* module = nullptr;
        std::int64_t blocks = 0;
        std::vector<std::int64_t> given{};
        int times = 0;
        std::unique_ptr<device::Graph> graph{};
    };
    static constexpr int worth_a_graph = 4;  // at this time it is made
    Known& known(const device::Module& module, std::int64_t blocks, std::span<const std::int64_t> given);

    std::array<Known, 4> known_;  // what comes in turn, like the memory of two results
    std::size_t next_ = 0;  // to be forgotten
    bool has_graphs_ = true;
};

}  // namespace fastnp::plan
