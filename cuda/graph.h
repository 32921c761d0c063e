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

    /// DeviceError if the driver makes none. `capture` must live as long. `kernels_overlap`: one may begin while the one before it ends, for which it
    /// waits itself.
    WorkGraph(std::shared_ptr<Context> context, Capture& capture, bool kernels_overlap, std::span<const device::Work> work);
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
    class Adding;
    class Setting;

    void build(std::span<const device::Work> work);
    void destroy() noexcept;

    const std::shared_ptr<Context> context_;
    Capture& capture_;
    const bool kernels_overlap_;
    Handle graph_ = nullptr, executable_ = nullptr;
    std::vector<Node> nodes_;
    std::vector<const std::string*> launched_;  // the kernels' names
    std::size_t products_ = 0, transforms_ = 0;
};

}  // namespace fastnp::cuda
