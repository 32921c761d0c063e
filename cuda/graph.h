// Launches that the driver knows as a whole (CUDA graphs).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "code.h"
#include "context.h"
#include "device/backend.h"

namespace fastnp::cuda {

class LaunchGraph final : public device::Graph {
public:
    /// Whether a driver has graphs: since 12.0.
    static bool is_known_to(const Driver& driver);

    /// DeviceError if the driver makes none.
    LaunchGraph(std::shared_ptr<Context> context, std::shared_ptr<const LoadedModule> module, std::span<const device::Launch> launches);
    ~LaunchGraph() override;
    LaunchGraph(const LaunchGraph&) = delete;
    LaunchGraph& operator=(const LaunchGraph&) = delete;

    void set(std::size_t place, std::span<void* const> arguments) override;
    void launch() override;

private:
    void build(std::span<const device::Launch> launches);
    void destroy() noexcept;

    const std::shared_ptr<Context> context_;
    const std::shared_ptr<const LoadedModule> module_;
    Handle graph_ = nullptr, executable_ = nullptr;
    std::vector<Handle> nodes_;
    std::vector<KernelNode> kernels_;    // without arguments
    std::vector<std::size_t> launched_;  // the kernels' numbers
};

}  // namespace fastnp::cuda
