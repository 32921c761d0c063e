// Turns of a loop whose body is one kernel, several at a time: each thread takes them for a strip of the rows and, turn by turn fewer, for those around it
// that its strip depends on (overlapped tiling: Krishnamoorthy et al., "Effective Automatic Parallelization of Stencil Computations", 2007). Between the
// first turn, which reads arrays that all strips share, and the last one, which writes such, a strip's rows lie in memory of its own: one array, in which
// each turn's rows take the place of rows of the turn before that nothing needs any more, a little before them. So half as much goes through a near cache
// as where two arrays take turns.
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

    /// Turns to take together, an odd number: what the last one gives lies in another array than what the first one takes.
    std::int64_t depth() const { return depth_; }
    /// Takes an odd number of turns, three at least and `depth` at most. `pointers`: of each turn, one after the other.
    void run(std::span<void* const> pointers, std::int64_t turns) const;

private:
    TurnStrips(const TurnStep& step, const RowStep& rows, std::span<const std::int64_t> row_bytes, const std::int64_t* values);

    struct Group;
    struct Range {
        std::int64_t begin, end;
    };
    Range rows_at(std::int64_t strip, std::int64_t turns_left) const;
    std::int64_t earlier(std::size_t memory) const;
    void allocate();
    void run_strip(const Group& group, std::int64_t strip) const;
    std::vector<void*> pointers_of(const Group& group, std::int64_t strip) const;

    const TurnStep* step_;
    const std::int64_t* values_;
    std::int64_t rows_, units_;  // of a row
    std::vector<std::int64_t> row_bytes_;  // by memory; 0: the step doesn't touch it
    std::int64_t reach_;  // rows around a row that it depends on
    std::int64_t depth_ = 1, block_ = 1, strips_ = 1;
    std::size_t scratch_;
    std::vector<std::vector<device::BufferPtr>> own_;  // by strip and memory
};

}  // namespace fastnp::plan
