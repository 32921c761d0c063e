// How a kernel is run by the threads of a GPU: blocks of them, numbered along a grid.
#pragma once

#include "base/for_codegen.h"
#include "nest/kernel.h"
#include "nest/tile.h"

namespace fastnp::nest {

struct Grid {
    /// Threads that run in step, and can exchange values without memory.
    static constexpr int warp = 32;
    /// Bytes that a thread best loads or stores at a time.
    static constexpr int vector_bytes = 16;
    /// Threads that fold together, at most.
    static constexpr int most_team = 512;
    /// Of the widest elements that a thread computes at a time, at most.
    static constexpr std::int64_t most_bytes = 64;
    /// That a GPU has room for, about.
    static constexpr std::int64_t busy_threads = 1 << 18;

    int lane = -1;    // the axis along which neighbouring threads run; -1: none (a kernel of rank 0)
    int width = 1;    // elements along it that a thread takes at a time: 16 bytes of the narrowest
    int shift = 0;    // elements before its first one at which the threads begin, so that most of their accesses begin lines of memory
    bool whole_warps = false;  // whether the units along it are counted up to whole warps of threads, so that each row's begin as the first one's do
    int unroll_axis = -1;  // another outer axis, of which a thread does `unroll` steps side by side, for what these have in common
    int unroll = 1;
    int inner_steps = 1;  // of the last inner axis that a thread with folds of its own does in one turn: so it loads as a vector what lies along it
    int registers = 0;  // that a thread has; 0: what the assembler takes. Of several steps so many that its loads for all of these are on their way at
                        // once: left to itself the assembler loads late, 2 % of a stencil's time on an H200. Else see nest/registers.h
    int held = 0;  // vectors of an inner axis that each thread of a team takes, all of them side by side: its whole length (of the last ones some
                   // threads may have none); 0: a loop goes over it
    bool staged = false;  // whether the held rows of a warp's teams, of which each stores parts of sectors, are put together on the chip and stored as a
                          // whole
    int team = 1;  // threads that make the folds of an outer point together, each taking a part of the lanes; 1: each thread has points of its own
                   // fewer than a warp's share one: then a block stays together
    int crew = 1;  // threads that make the folds of the same outer points together, each taking some steps of the first inner axis; one warp's lanes apart
    int block = 256;  // threads of a block, whole teams; a team of several warps is a block, and so is a crew with its lanes

    Tile tile{};  // that a block does together, where what lies side by side does so along two axes: of an elementwise kernel

    /// The rest of a thread's or team's work is numbered: vectors of `width` lanes where the lanes' axis is an outer one, and groups of `unroll` steps,
    /// outer points otherwise; tiles, where there are any.
    shape::Dim units = 1;
    /// Steps of an outer axis that a unit has.
    int steps_of(int axis) const {
        if (tile.is_used()) return axis == tile.lane ? tile.lanes : axis == tile.across ? tile.steps : 1;
        return axis == lane ? width : axis == unroll_axis ? unroll : 1;
    }

    /// Multiples in which the units along an axis are counted.
    int units_together(int axis) const { return axis == lane && whole_warps ? warp : 1; }

    /// Steps of an axis before its first one at which its first unit begins.
    int shift_of(int axis) const { return axis == lane ? shift : 0; }

    /// Of a scratch row, on the chip; each team of a block has its own.
    static std::int64_t row_bytes(const Kernel& kernel, Dtype dtype) {
        return (kernel.inner_points.value() * static_cast<std::int64_t>(itemsize_of(dtype)) + vector_bytes - 1) / vector_bytes * vector_bytes;
    }
    /// Units that a block takes at a time.
    int units_of_block() const { return tile.is_used() ? 1 : block / (team * crew); }
};

/// Brings the axes into the best order, merges those that every access walks as one, and chooses lanes, vectors and teams.
Grid grid_of(Kernel& kernel, shape::Sizes& sizes);

/// Everything that the kernel's code on a GPU depends on, as bytes: equal ones have equal code.
FASTNP_FOR_CODEGEN std::string fingerprint(const Kernel& kernel, const Grid& grid);

/// The sizes that a kernel's code takes as arguments, in order, each once.
FASTNP_FOR_CODEGEN std::vector<shape::Dim> sizes_of(const Kernel& kernel);

}  // namespace fastnp::nest
