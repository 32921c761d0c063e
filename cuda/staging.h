// Copies between the host's memory and a device's, by way of page-locked blocks: only from these does the device read without the driver's help and beside
// other work. While one is copied to or from, others are on their way.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "context.h"

namespace fastnp::cuda {

/// Page-locked blocks, taken when first needed, each with an event after which it may be used again.
class Stages {
public:
    static constexpr std::size_t block_bytes = std::size_t{4} << 20;
    static constexpr std::size_t most = 4;

    struct Stage {
        std::byte* memory = nullptr;
        Handle event = nullptr;
        bool waits = false;  // the event was recorded, and not waited for
    };

    explicit Stages(Context& context) : context_(context) {}
    ~Stages();
    Stages(const Stages&) = delete;
    Stages& operator=(const Stages&) = delete;

    /// Makes `count` blocks if there is memory for them. MemoryError if there is none for a single one.
    void need(std::size_t count);
    std::size_t count() const { return stages_.size(); }
    Stage& operator[](std::size_t number) { return stages_[number]; }
    /// Notes that what was asked for so far uses a block, ...
    void record(Stage& stage);
    /// ... and waits until that is done.
    void wait(Stage& stage);

private:
    bool add();

    Context& context_;
    std::vector<Stage> stages_;
};

/// Thread-safe; copies one after the other.
class Uploads {
public:
    explicit Uploads(Context& context) : context_(context), stages_(context) {}
    /// Returns when the host's memory has been read; the device's is written in the stream's order.
    void copy(Address to, const std::byte* from, std::size_t bytes);

private:
    void next();

    Context& context_;
    std::mutex mutex_;
    Stages stages_;
    std::size_t stage_ = 0, used_ = 0;  // where the next bytes go
};

/// Thread-safe; copies one after the other.
class Downloads {
public:
    explicit Downloads(Context& context) : context_(context), stages_(context) {}
    /// Returns when the host's memory is filled.
    void copy(std::byte* to, Address from, std::size_t bytes);

private:
    Context& context_;
    std::mutex mutex_;
    Stages stages_;
};

}  // namespace fastnp::cuda
