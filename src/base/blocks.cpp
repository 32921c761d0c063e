#include "fastnp/detail/blocks.h"
#include "fastnp/detail/interruption.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace fastnp::detail {

namespace {

constexpr std::int64_t alignment = 64;
constexpr std::size_t few = 4;  // blocks that most programs have at most
constexpr std::int64_t most_bytes = std::int64_t{1} << 46;  // what processors can address

// One that is free serves if it is not much larger.
bool serves(std::int64_t there, std::int64_t bytes) { return there >= bytes && there / 2 <= bytes + 4096; }

// In one piece with what counts its owners: the C library keeps small pieces at hand, but none of a wider alignment.
std::shared_ptr<std::byte> aligned(std::size_t bytes) {
    std::size_t room = bytes + static_cast<std::size_t>(alignment);
    const auto whole = std::make_shared_for_overwrite<std::byte[]>(room);
    void* begin = whole.get();
    return {whole, static_cast<std::byte*>(std::align(static_cast<std::size_t>(alignment), bytes, begin, room))};
}

}  // namespace

const Blocks::Block* Blocks::block_of(const void* address) const noexcept {
    const auto* where = static_cast<const std::byte*>(address);
    const auto behind = std::upper_bound(blocks_.begin(), blocks_.end(), where,
                                         [](const std::byte* each, const Block& block) { return std::less<>()(each, block.memory.get()); });
    if (behind == blocks_.begin()) return nullptr;
    const Block& block = *std::prev(behind);
    return std::less<>()(where, block.memory.get() + block.bytes) ? &block : nullptr;
}

void* Blocks::allocate(std::int64_t bytes) noexcept {
    if (bytes < 0 || bytes > most_bytes) return nullptr;
    bytes = (std::max(bytes, std::int64_t{1}) + alignment - 1) / alignment * alignment;
    for (Block& block : blocks_) {
        if (block.is_held || !serves(block.bytes, bytes)) continue;
        block.is_held = true;
        return block.memory.get();
    }
    std::erase_if(blocks_, [](const Block& block) { return !block.is_held; });  // of sizes that are asked for no more
    try {
        if (blocks_.empty()) blocks_.reserve(few);
        std::shared_ptr<std::byte> made = aligned(static_cast<std::size_t>(bytes));
        std::byte* const memory = made.get();
        const auto behind = std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& block) { return std::less<>()(memory, block.memory.get()); });
        blocks_.insert(behind, {std::move(made), bytes, true});
        return memory;
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

void Blocks::collect(void* const* held, std::int64_t count) noexcept {
    for (Block& block : blocks_) block.is_held = false;
    for (void* const each : std::span(held, static_cast<std::size_t>(count))) {
        if (const Block* block = each == nullptr ? nullptr : block_of(each)) blocks_[static_cast<std::size_t>(block - blocks_.data())].is_held = true;
    }
}

std::shared_ptr<std::byte> Blocks::owner_of(const void* address) const noexcept {
    const Block* found = block_of(address);
    return found == nullptr ? nullptr : found->memory;
}

std::int32_t ask_interruption(Interruption* interruption) noexcept { return interruption != nullptr && interruption->ask(*interruption) ? 1 : 0; }

void* allocate_block(Blocks* blocks, std::int64_t bytes) noexcept { return blocks->allocate(bytes); }
void collect_blocks(Blocks* blocks, void* const* held, std::int64_t count) noexcept { blocks->collect(held, count); }

}  // namespace fastnp::detail
