// What libraries do as graphs of the driver's, taken from a stream in which they are asked for it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "context.h"
#include "device/contraction.h"
#include "device/transform.h"
#include "pool.h"
#include "products.h"
#include "transforms.h"
#include "workspace.h"

namespace fastnp::cuda {

/// A graph of a library's work, destroyed with its owner.
class Captured {
public:
    /// `kept`: what the work needs.
    Captured(Context& context, Handle graph, std::shared_ptr<const void> kept) : context_(context), graph_(graph), kept_(std::move(kept)) {}
    ~Captured() { context_.driver().graph_destroy(graph_); }
    Captured(const Captured&) = delete;
    Captured& operator=(const Captured&) = delete;
    Handle graph() const { return graph_; }
    const std::shared_ptr<const void>& kept() const { return kept_; }

private:
    Context& context_;
    Handle graph_;
    std::shared_ptr<const void> kept_;
};

/// Of one device. Thread-safe. All graphs are launched in one stream, one after the other, so they share the memory that libraries work in.
class Capture {
public:
    Capture(Context& context, Pool& pool, Products& products, Transforms& transforms)
        : context_(context), pool_(pool), products_(products), transforms_(transforms) {}
    ~Capture();
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;

    /// Work that was done before. DeviceError if the driver or the library does not do it. The context is the current one.
    Captured take(const device::Contraction& contraction);
    Captured take(const device::Transform& transform);
    /// Counts work that graphs did.
    void count(std::size_t products, std::size_t transforms);

private:
    Captured take(std::size_t workspace_bytes, std::shared_ptr<const void> kept, const std::function<void(Handle stream, void* workspace)>& ask);
    std::shared_ptr<const Workspace> workspace(std::size_t bytes);

    Context& context_;
    Pool& pool_;
    Products& products_;
    Transforms& transforms_;
    Handle stream_ = nullptr;  // this and what follows: while the whole context is held
    std::size_t workspace_bytes_ = 0;
    std::weak_ptr<const Workspace> workspace_;  // graphs own it
};

}  // namespace fastnp::cuda
