#include "fastnp/detail/blocks.h"
#include "fastnp/detail/interruption.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <new>

namespace fastnp::detail {

namespace {

constexpr std::int64_t alignment = 64;
constexpr std::int64_t most_bytes = std::int64_t{1} << 46;  // what processors can address

// One that is free serves if it is not much larger.
bool serves(std::int64_t there, std::int64_t bytes) { return there >= bytes && there / 2 <= bytes + 4096; }

}  // namespace

bool Blocks::Block::has(const void* address) const noexcept {
    const std::less_equal<> not_behind;
    return not_behind(memory.get(), address) && not_behind(address, memory.get() + bytes - 1);
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
        auto* memory = static_cast<std::byte*>(std::aligned_alloc(alignment, static_cast<std::size_t>(bytes)));
        if (memory == nullptr) return nullptr;
        blocks_.push_back({std::shared_ptr<std::byte>(memory, [](std::byte* each) { std::free(each); }), bytes, true});
        return memory;
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

void Blocks::collect(void* const* held, std::int64_t count) noexcept {
    for (Block& block : blocks_) {
        block.is_held = std::any_of(held, held + count, [&](const void* each) { return block.has(each); });
    }
}

std::shared_ptr<std::byte> Blocks::owner_of(const void* address) const noexcept {
    const auto found = std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& block) { return block.has(address); });
    return found == blocks_.end() ? nullptr : found->memory;
}

std::int32_t ask_interruption(Interruption* interruption) noexcept { return interruption != nullptr && interruption->ask(*interruption) ? 1 : 0; }

void* allocate_block(Blocks* blocks, std::int64_t bytes) noexcept { return blocks->allocate(bytes); }
void collect_blocks(Blocks* blocks, void* const* held, std::int64_t count) noexcept { blocks->collect(held, count); }

}  // namespace fastnp::detail
