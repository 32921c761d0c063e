// Memory of the arrays that a native program makes: taken where one is made, and free again once
// nothing of the program points to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "fastnp/export.h"

namespace fastnp::detail {

class FASTNP_API Blocks {
public:
    /// Memory of so many bytes, aligned for vectors, with anything in it; null where there is none.
    void* allocate(std::int64_t bytes) noexcept;

    /// Frees for later use what none of these points to; each is an address in a block, or anything else.
    void collect(void* const* held, std::int64_t count) noexcept;

    /// The block that an address lies in, kept for as long as this lives; null where it lies in none.
    std::shared_ptr<std::byte> owner_of(const void* address) const noexcept;

private:
    struct Block {
        std::shared_ptr<std::byte> memory;
        std::int64_t bytes = 0;
        bool is_held = false;
    };
    /// The one that an address lies in, or null.
    const Block* block_of(const void* address) const noexcept;

    std::vector<Block> blocks_;  // by their addresses
};

/// What generated code calls.
FASTNP_API void* allocate_block(Blocks* blocks, std::int64_t bytes) noexcept;
FASTNP_API void collect_blocks(Blocks* blocks, void* const* held, std::int64_t count) noexcept;

}  // namespace fastnp::detail
