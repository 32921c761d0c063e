// Turns of a loop whose body is one kernel, several at a time: each thread takes them for a strip of the rows and, turn by turn fewer, for those around it
// that its strip depends on (overlapped tiling: Krishnamoorthy et al., "Effective Automatic Parallelization of Stencil Computations", 2007). Between the
// first turn, which reads an array that all strips share, and the last one, which writes such, rows lie in a window of the strip's own that stays in a
// near cache: one array, in which each turn's rows take the place of rows of the turn before that nothing needs any more, a little before them. So half as
// much goes through that cache as where two arrays take turns, and a row of far memory is read and written once for all turns, in place.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "device/buffer.h"
#include "plan/rows.h"

namespace fastnp::plan {

struct TurnStep;

class TurnStrips {
public:
    /// Of a step and what it touches; nothing where two arrays that take turns do as well. `copies`, `row_bytes`: by memory, how many arrays take turns in
    /// it, and how long a row is. `near`: bytes of a near cache to fill. `most`: turns that may be taken together.
    static std::optional<TurnStrips> of(const TurnStep& step, const RowStep& rows, std::span<const int> copies, std::span<const std::int64_t> row_bytes,
                                        const std::int64_t* values, std::int64_t near, std::int64_t most);

    /// How many turns to take together.
    std::int64_t depth() const { return depth_; }
    /// Takes turns, two at least and `depth` at most. `pointers`: of each turn, one after the other; the last turn's results may lie where the first one's
    /// states do.
    void run(std::span<void* const> pointers, std::int64_t turns) const;

private:
    TurnStrips(const TurnStep& step, const RowStep& rows, std::span<const std::int64_t> row_bytes, const std::int64_t* values);

    struct Group;
    struct Range {
        std::int64_t begin, end;
    };
    // Memory of a strip, by what it is a part of.
    struct Own {
        std::vector<device::BufferPtr> window;
        std::vector<device::BufferPtr> ends[2];  // the first turn's states around the strip's first and last row: neighbours overwrite them
    };

    Range rows_around(std::int64_t strip, std::int64_t rows) const;
    Range end_of(std::int64_t strip, int side, std::int64_t turns) const;
    bool touches(std::size_t pointer, std::size_t memory) const;
    bool gives(std::size_t pointer) const;
    bool is_in_place(std::span<void* const> pointers, std::int64_t turns, std::size_t memory) const;
    std::int64_t earlier(std::size_t memory) const;
    void allocate();
    void copy_ends(const Group& group, std::int64_t strip) const;
    void place(const Group& group, std::int64_t strip, std::int64_t block, std::vector<void*>& pointers) const;
    void run_strip(const Group& group, std::int64_t strip) const;
    void run_first(const Group& group, std::int64_t strip, void* const* pointers, Range rows) const;
    void run_rows(void* const* pointers, Range rows) const;
    void slide(const Group& group, std::int64_t strip) const;

    const TurnStep* step_;
    const std::int64_t* values_;
    std::int64_t rows_, units_;  // units of a row
    std::vector<std::int64_t> row_bytes_;  // by memory; 0: the step doesn't touch it
    std::int64_t reach_;  // rows around a row that it depends on
    std::int64_t depth_ = 1, block_ = 1, strips_ = 1;
    std::size_t scratch_;
    std::vector<Own> own_;
};

}  // namespace fastnp::plan
