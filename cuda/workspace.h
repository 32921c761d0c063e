// Memory that a library works in.
#pragma once

#include <cstddef>

#include "pool.h"

namespace fastnp::cuda {

/// Memory of the pool for the length of a call: what is asked for later may have it.
class Workspace {
public:
    /// MemoryError if there is none; of 0 bytes there is nothing.
    Workspace(Pool& pool, std::size_t bytes) : pool_(pool), bytes_(bytes), memory_(bytes == 0 ? nullptr : pool.allocate(bytes)) {}
    ~Workspace() {
        if (memory_ != nullptr) pool_.free(memory_, bytes_);
    }
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;
    void* get() const { return memory_; }

private:
    Pool& pool_;
    std::size_t bytes_;
    void* memory_;
};

}  // namespace fastnp::cuda
