// A device's memory: addresses of this process that only the device may touch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace fastnp::simulated {

/// A run of pages. What is asked for lies at their end, so that what reads or writes beyond it meets a page that nobody may touch; up to 255 bytes are
/// left over, which must stay as they are.
struct Block {
    char* pages = nullptr;
    std::size_t page_bytes = 0;
    char* begin = nullptr;  // of what was asked for
    std::size_t bytes = 0;
    bool is_live = false;
    bool is_fresh = true;  // never used, or given back meanwhile
    bool is_open = false;
};

/// Blocks may be touched while they are open; another access ends the process with a message. Not thread-safe.
class Memory {
public:
    Memory();
    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    /// A block of its own, one that was freed if there is one; null if there is no room. Who takes it fills what is fresh.
    Block* allocate(std::size_t bytes);
    void free(Block& block);
    /// Gives the pages of free blocks back to the system.
    void trim();

    /// The live block in which an address lies; null if there is none.
    Block* find(const void* address);
    /// Whether it lies in a block that is free.
    bool is_freed(const void* address);
    /// Whether an address is one of this memory's, live or not.
    bool owns(const void* address) const;

    void open(Block& block);
    void close(Block& block);

    /// Whole pages.
    std::size_t live_bytes() const { return live_bytes_; }
    std::size_t held_bytes() const { return held_bytes_; }
    static std::size_t page_bytes_for(std::size_t bytes);

private:
    using FreeBlocks = std::map<std::size_t, std::vector<Block*>>;  // by the bytes of their pages; the one freed last is the first to be used again

    Block* nearest(const void* address);
    static Block* take(FreeBlocks& from, std::size_t page_bytes);

    char* begin_ = nullptr;
    char* end_ = nullptr;
    char* unused_ = nullptr;
    std::map<char*, std::unique_ptr<Block>> blocks_;  // by their first page
    FreeBlocks held_, given_back_;
    std::size_t live_bytes_ = 0, held_bytes_ = 0;
};

/// Whether an address is one of some device's memory.
bool is_of_a_device(const void* address);

/// What fills memory that nothing was written to yet, what was freed, and what lies beyond the end: NaNs and huge numbers.
constexpr unsigned char fresh_pattern = 0xff, freed_pattern = 0xfd, margin_pattern = 0xfb;

}  // namespace fastnp::simulated
