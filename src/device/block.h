// Memory of a device that is given back when its owner goes.
#pragma once

#include <cstddef>
#include <utility>

#include "device/backend.h"

namespace fastnp::device {

class Block {
public:
    /// MemoryError if there is none.
    Block(Backend& backend, std::size_t bytes) : backend_(&backend), memory_(backend.allocate(bytes)), bytes_(bytes) {}
    Block(Block&& other) noexcept : backend_(other.backend_), memory_(std::exchange(other.memory_, nullptr)), bytes_(other.bytes_) {}
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    Block& operator=(Block&&) = delete;
    ~Block() {
        if (memory_ != nullptr) backend_->free(memory_, bytes_);
    }

    char* get() const { return static_cast<char*>(memory_); }
    Backend& backend() const { return *backend_; }

private:
    Backend* backend_;
    void* memory_;
    std::size_t bytes_;
};

}  // namespace fastnp::device
