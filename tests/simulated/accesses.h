// Which threads of a kernel touched which memory, and what lay between: finds what a GPU may do in another order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
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
    // The time is a count of blocks' barriers and beginnings over all grids. Beside it who it was (the number of the thread, and how often its warp had
    // met since then), and a mark for each of what follows. In one word, as it is written and read more than anything else here.
    struct Touch {
        std::uint32_t time = 0, bits = 0;
        bool has(std::uint32_t mark) const { return (bits & mark) != 0; }
        std::uint32_t thread() const { return bits & all_threads; }
    };
    static constexpr std::uint32_t all_threads = (1U << 10) - 1, lanes = warp - 1, who = (1U << 27) - 1, meeting = 1U << 10;
    static constexpr std::uint32_t is_atomic = 1U << 27, has_others = 1U << 28;  // of the same warp, since it met
    static constexpr std::uint32_t has_other_warps = 1U << 29, has_other_blocks = 1U << 30;  // at the same time; of the same grid
    struct Cell {
        Touch write, read;  // the last ones; a read says of those before it what a write has to know
    };
    static constexpr std::uint32_t word = 4, page_bytes = 4096;
    using Bytes = std::array<Cell, word>;
    // A word's four bytes have one cell, until they are touched by themselves: then it says no more than that.
    static constexpr std::uint32_t set_apart = std::numeric_limits<std::uint32_t>::max();
    struct Page {
        std::array<Cell, page_bytes / word> words{};
        std::unique_ptr<std::array<Bytes, page_bytes / word>> apart;
    };
    /// What an access would leave behind, and since when what was there before counts: in this run, and of this memory (each block has its own on the
    /// chip).
    struct Now {
        const Access& access;
        Touch touch;
        std::uint32_t began = 0;
    };

    Page& page_of(std::uintptr_t at);
    static Bytes& bytes_of(Page& page, std::uint32_t number);
    bool is_of_block(const Touch& touch) const { return touch.time >= block_began_; }
    bool is_unordered(const Touch& before, const Now& now) const;
    bool is_since_meeting(const Touch& before, const Now& now) const;
    static bool is_by_other_warp(const Touch& before, const Now& now) { return ((before.bits ^ now.touch.bits) & all_threads & ~lanes) != 0; }
    static bool is_by_other_thread(const Touch& before, const Now& now) { return ((before.bits ^ now.touch.bits) & all_threads) != 0; }
    template <std::uint32_t bytes>
    void touch(Cell& cell, const Now& now, std::uint32_t from);
    void read(Cell& cell, const Now& now);
    void write(Cell& cell, const Now& now, bool is_change);
    void advance();
    void say(const char* what, const Touch& before, const Now& now);

    std::uint32_t time_ = 0, grid_began_ = 0, block_began_ = 0;
    std::array<std::uint32_t, 32> meetings_{};  // by warp
    std::unordered_map<std::uintptr_t, std::unique_ptr<Page>> pages_;
    struct Known {
        std::uintptr_t number = 0;
        Page* page = nullptr;
    };
    std::array<Known, 1024> known_{};  // pages that were looked for last
    std::string problem_;
};

}  // namespace fastnp::simulated
