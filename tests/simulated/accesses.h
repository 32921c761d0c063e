// Which threads of a kernel touched which memory, and what lay between: finds what a GPU may do in another order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

namespace fastnp::simulated {

/// A load or a store of a thread, or an atomic operation.
struct Access {
    const char* at = nullptr;
    const char* stored = nullptr;  // what is there afterwards; null if that is not known
    std::uint32_t bytes = 0;
    bool reads = false, writes = false, is_atomic = false;
    bool is_on_chip = false;  // memory of the block alone
};

/// A race, as in the memory model of PTX: two threads of a grid touch the same byte, one of them writes, not both by atomic operations, nor the same
/// value, and neither a barrier of their block nor one of their warp lies between. (Shuffles and votes order no memory.) Told by what was done, in
/// whatever order, so also where all went well. Blocks run one after the other, and each begins with no memory of its own: what it reads there it has
/// written.
class Accesses {
public:
    static constexpr unsigned warp = 32;

    void begin_grid();
    void begin_block();
    /// All threads of the block have met at a barrier.
    void block_met();
    void warp_met(unsigned number) { ++meetings_.at(number); }
    void note(const Access& access, unsigned thread);
    /// What was wrong first since begin_grid(); empty if nothing was.
    const std::string& problem() const { return problem_; }

private:
    // The time is a count of blocks' barriers and beginnings over all grids. Beside it who it was, by how often their warp had met since then.
    struct Touch {
        std::uint32_t time = 0;
        std::uint32_t thread : 10 = 0, meetings : 17 = 0;
        std::uint32_t is_atomic : 1 = 0;
        std::uint32_t has_others : 1 = 0;        // of the same warp, since it met
        std::uint32_t has_other_warps : 1 = 0;   // at the same time
        std::uint32_t has_other_blocks : 1 = 0;  // of the same grid
    };
    struct Cell {
        Touch write, read;  // the last ones; a read says of those before it what a write has to know
    };
    // Of a word's four bytes the first stands for all, until they are touched by themselves.
    static constexpr std::uintptr_t word = 4, page_bytes = 1024;
    struct Page {
        std::array<Cell, page_bytes> cells{};
        std::array<bool, page_bytes / word> is_apart{};
    };

    Page& page_of(std::uintptr_t at);
    Touch now(const Access& access, unsigned thread) const;
    bool is_of_block(const Touch& touch) const { return touch.time >= block_began_; }
    // Whether it was in this run, and of this memory: each block has its own on the chip.
    bool counts(const Touch& touch, const Access& access) const { return touch.time >= (access.is_on_chip ? block_began_ : grid_began_); }
    bool is_unordered(const Touch& before, const Access& access, unsigned thread) const;
    bool is_since_meeting(const Touch& before, unsigned thread) const;
    void touch(Cell& cell, const Access& access, std::uint32_t from, std::uint32_t bytes, unsigned thread);
    void read(Cell& cell, const Access& access, unsigned thread);
    void write(Cell& cell, const Access& access, unsigned thread, bool is_change);
    void advance();
    void say(const char* what, const Touch& before, const Access& access, unsigned thread);

    std::uint32_t time_ = 0, grid_began_ = 0, block_began_ = 0;
    std::array<std::uint32_t, 32> meetings_{};  // by warp
    std::unordered_map<std::uintptr_t, std::unique_ptr<Page>> pages_;
    struct Known {
        std::uintptr_t number = 0;
        Page* page = nullptr;
    };
    std::array<Known, 256> known_{};  // pages that were looked for last
    std::string problem_;
};

}  // namespace fastnp::simulated
