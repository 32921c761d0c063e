#include "capture.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <utility>

namespace fastnp::cuda {

namespace {

constexpr unsigned non_blocking = 1;
constexpr int relaxed = 2;  // other threads, and the library itself, may do meanwhile what they like

}  // namespace

Capture::~Capture() {
    if (stream_ == nullptr || !context_.is_usable()) return;
    try {
        const Current current(context_);
        context_.driver().stream_destroy(stream_);
    } catch (const std::exception&) {  // NOLINT: the context is gone, and its streams with it
    }
}

std::shared_ptr<const Workspace> Capture::workspace(std::size_t bytes) {
    std::shared_ptr<const Workspace> found = workspace_.lock();
    if (found == nullptr || workspace_bytes_ < bytes) {
        workspace_bytes_ = std::max(bytes, found == nullptr ? 0 : 2 * workspace_bytes_);
        workspace_ = found = std::make_shared<const Workspace>(pool_, workspace_bytes_);
    }
    return found;
}

Captured Capture::take(std::size_t workspace_bytes, std::shared_ptr<const void> kept, const std::function<void(Handle stream, void* workspace)>& ask) {
    const Driver& driver = context_.driver();
    const std::scoped_lock lock(context_.whole());
    const std::shared_ptr<const Workspace> memory = workspace(workspace_bytes);
    if (stream_ == nullptr) context_.check(driver.stream_create(&stream_, non_blocking), "cuStreamCreate");
    Handle graph = nullptr;
    context_.check(driver.stream_begin_capture(stream_, relaxed), "cuStreamBeginCapture");
    try {
        ask(stream_, memory->get());
    } catch (...) {
        driver.stream_end_capture(stream_, &graph);
        if (graph != nullptr) driver.graph_destroy(graph);
        throw;
    }
    context_.check(driver.stream_end_capture(stream_, &graph), "cuStreamEndCapture");
    using Both = std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>;
    return {context_, graph, std::make_shared<const Both>(memory, std::move(kept))};
}

Captured Capture::take(const device::Contraction& contraction) {
    return take(products_.workspace_bytes(contraction), nullptr, [&](Handle stream, void* workspace) { products_.ask(contraction, stream, workspace); });
}

Captured Capture::take(const device::Transform& transform) {
    const auto plan = transforms_.plan(transform);
    return take(plan->workspace_bytes(), plan, [&](Handle stream, void* workspace) { transforms_.ask(*plan, transform, stream, workspace); });
}

void Capture::count(std::size_t products, std::size_t transforms) {
    products_.count_more(products);
    transforms_.count_more(transforms);
}

}  // namespace fastnp::cuda
