// Work that the driver knows as a whole (CUDA graphs).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "capture.h"
#include "code.h"
#include "context.h"
#include "device/backend.h"

namespace fastnp::cuda {

/// A node for each piece: libraries' work is a graph within the graph, captured again when its addresses change.
class WorkGraph final : public device::Graph {
public:
    /// Whether a driver has graphs: since 12.0.
    static bool is_known_to(const Driver& driver);

    /// DeviceError if the driver makes none. `capture` must live as long.
    WorkGraph(std::shared_ptr<Context> context, Capture& capture, std::span<const device::Work> work);
    ~WorkGraph() override;
    WorkGraph(const WorkGraph&) = delete;
    WorkGraph& operator=(const WorkGraph&) = delete;

    void set(std::size_t place, const device::Work& work) override;
    void launch() override;

private:
    struct Node {
        Handle handle = nullptr;
        std::shared_ptr<const void> kept{};  // what the work needs
    };
    // Kernels of a module that are launched one after the other, other work aside.
    struct Launched {
        Symbols symbols;
        std::vector<std::size_t> kernels;
    };
    class Adding;
    class Setting;

    void build(std::span<const device::Work> work);
    void destroy() noexcept;

    const std::shared_ptr<Context> context_;
    Capture& capture_;
    Handle graph_ = nullptr, executable_ = nullptr;
    std::vector<Node> nodes_;
    std::vector<Launched> launched_;
    std::size_t products_ = 0, transforms_ = 0;
};

}  // namespace fastnp::cuda
