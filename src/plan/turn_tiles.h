// Turns of a loop, several at a time where that is faster: a block of rows after the other goes through all of them while it is in a near cache, each step
// some rows behind the one before it, so that what it reads is there and what it overwrites has been read.
//
// Threads have a chunk of the rows each. At a chunk's ends each step leaves out what depends on the neighbour; what is left, a triangle over each end, is
// done when both neighbours are through (split tiling: Grosser et al., "Split Tiling for GPUs", 2013).
#pragma once

#include "plan/rows.h"
#include "plan/turn_strips.h"

namespace fastnp::plan {

/// A step of a turn: a kernel, or (null) the copy of `bytes` from its first pointer to its second.
struct TurnStep {
    const KernelStep* kernel = nullptr;
    const nest::Kernel* loops = nullptr;
    const nest::Schedule* schedule = nullptr;
    std::vector<int> memories;  // by pointer, the number of the memory that it lies in; -1 where nothing is written
    std::size_t bytes = 0;

    std::size_t pointer_count() const { return kernel != nullptr ? kernel->slots.size() : 2; }
};

class TurnTiles {
public:
    /// `copies`: how many arrays take turns in each memory. `most`: turns that may be taken together.
    TurnTiles(const std::vector<TurnStep>& steps, const std::vector<int>& copies, const std::int64_t* values, std::int64_t most);

    /// How many turns to take together where some are left.
    std::int64_t together(std::int64_t left) const;
    /// Takes turns. `pointers`: of each step of each turn, one after the other.
    void run(const std::vector<void*>& pointers, std::int64_t turns) const;

private:
    struct Tile {
        const TurnTiles* tiles;
        void* const* pointers;
        std::int64_t steps;
    };

    bool find_rows(const std::vector<int>& copies);
    void choose(std::int64_t most);
    bool is_tiled() const { return !rows_.empty(); }
    std::int64_t bound_of(std::int64_t chunk) const { return most_rows_ * chunk / chunks_; }
    void run_whole(void* const* pointers, const TurnStep& step) const;
    void run_rows(const Tile& tile, std::int64_t number, std::int64_t begin, std::int64_t end) const;
    void run_chunk(const Tile& tile, std::int64_t chunk) const;
    void run_end(const Tile& tile, std::int64_t chunk) const;

    const std::vector<TurnStep>& steps_;
    const std::int64_t* values_;
    std::vector<std::size_t> scratch_;  // by step
    std::vector<std::size_t> first_;  // pointer of each step, and of the next turn's first one
    std::vector<RowStep> rows_;  // by step; none: turns are taken one by one
    std::vector<std::int64_t> row_bytes_;  // by memory
    std::int64_t depth_ = 1, shift_ = 0, block_ = 0, chunks_ = 1, most_rows_ = 0;
    std::int64_t bytes_in_use_ = 0;  // by a row, of all memory
    std::optional<TurnStrips> strips_;
};

}  // namespace fastnp::plan
