#include "plan/turn_strips.h"

#include <algorithm>

#include "base/thread_pool.h"
#include "nest/axes.h"
#include "plan/launch.h"
#include "plan/turn_tiles.h"

namespace fastnp::plan {

namespace {

constexpr std::int64_t deepest = 31;
constexpr std::int64_t fewest = 7;  // turns; for fewer of them it isn't worth while
constexpr std::int64_t apart = 640;  // bytes: rows over each other don't begin at the same place of a page (LoopArrays::made)

// Whether states are read where they are and results written elsewhere, each result taking the place of one state.
bool is_of_pairs(const TurnStep& step, const RowStep& rows, std::span<const int> copies) {
    std::vector<bool> touched(copies.size(), false), written(copies.size(), false);
    for (const Touch& touch : rows.touches) {
        touched[static_cast<std::size_t>(touch.memory)] = true;
        if (touch.written) written[static_cast<std::size_t>(touch.memory)] = true;
    }
    for (std::size_t m = 0; m < copies.size(); ++m) {
        if (touched[m] && (copies[m] != 2 || !written[m])) return false;
    }
    bool in_place = false;
    nest::for_each_use(*step.loops, [&](const nest::Access& access, nest::Use use) {
        const auto buffer = static_cast<std::size_t>(access.buffer);
        in_place = in_place || (step.memories[buffer] >= 0 && step.loops->buffers[buffer].written != (use == nest::Use::store));
    });
    return !in_place;
}

}  // namespace

struct TurnStrips::Group {
    const TurnStrips* strips;
    std::span<void* const> pointers;
    std::int64_t turns;
};

TurnStrips::TurnStrips(const TurnStep& step, const RowStep& rows, std::span<const std::int64_t> row_bytes, const std::int64_t* values)
    : step_(&step),
      values_(values),
      rows_(rows.rows),
      units_(rows.units),
      row_bytes_(row_bytes.size(), 0),
      reach_(shift_of({&rows, 1})),
      scratch_(scratch_bytes(*step.kernel, values)) {
    for (const Touch& touch : rows.touches) row_bytes_[static_cast<std::size_t>(touch.memory)] = row_bytes[static_cast<std::size_t>(touch.memory)];
}

std::optional<TurnStrips> TurnStrips::of(const TurnStep& step, const RowStep& rows, std::span<const int> copies, std::span<const std::int64_t> row_bytes,
                                         const std::int64_t* values, std::int64_t near, std::int64_t most) {
    if (step.kernel == nullptr || !is_of_pairs(step, rows, copies)) return std::nullopt;
    TurnStrips made(step, rows, row_bytes, values);
    if (made.reach_ == 0) return std::nullopt;
    std::int64_t bytes = rows.read_bytes;
    for (const std::int64_t row : made.row_bytes_) bytes += row;
    const std::int64_t fitting = near / std::max<std::int64_t>(bytes, 1), lag = 2 * made.reach_ + 1;
    made.depth_ = std::min({most, deepest, fitting / (2 * lag)});
    if (rows.rows * rows.units * step.kernel->cost * made.depth_ >= parallel_cost) made.strips_ = base::thread_count();
    if (made.strips_ > 1) made.depth_ = std::min(made.depth_, rows.rows / made.strips_ / (16 * made.reach_));  // what is done twice stays little
    if (made.depth_ % 2 == 0) --made.depth_;
    if (made.depth_ < fewest) return std::nullopt;
    made.block_ = fitting - lag * made.depth_;
    made.allocate();
    return made;
}

// The rows of a strip to do at a turn after which some are left.
TurnStrips::Range TurnStrips::rows_at(std::int64_t strip, std::int64_t turns_left) const {
    const std::int64_t around = turns_left * reach_;
    return {std::max<std::int64_t>(rows_ * strip / strips_ - around, 0), std::min(rows_ * (strip + 1) / strips_ + around, rows_)};
}

// By how many bytes each turn's rows lie before those of the turn before: where these are read no more.
std::int64_t TurnStrips::earlier(std::size_t memory) const { return (reach_ + 1) * row_bytes_[memory] + apart; }

void TurnStrips::allocate() {
    for (std::int64_t strip = 0; strip < strips_; ++strip) {
        const Range most = rows_at(strip, depth_ - 1);
        auto& own = own_.emplace_back(row_bytes_.size());
        for (std::size_t m = 0; m < own.size(); ++m) {
            if (row_bytes_[m] == 0) continue;
            own[m] = device::Buffer::allocate(static_cast<std::size_t>((most.end - most.begin) * row_bytes_[m] + depth_ * earlier(m)));
        }
    }
}

void TurnStrips::run(std::span<void* const> pointers, std::int64_t turns) const {
    Group group{this, pointers, turns};
    const auto strip = [](void* context, std::int64_t task, int) {
        const Group& own = *static_cast<const Group*>(context);
        own.strips->run_strip(own, task);
    };
    base::parallel_for(strips_, strip, &group);
}

// A strip's pointers for each turn: where its memory is its own, as if that had all rows.
std::vector<void*> TurnStrips::pointers_of(const Group& group, std::int64_t strip) const {
    const std::int64_t first = rows_at(strip, group.turns - 1).begin;
    const std::size_t each = step_->pointer_count();
    std::vector<void*> pointers(group.pointers.begin(), group.pointers.end());
    for (std::size_t b = 0; b < each; ++b) {
        const int memory = step_->memories[b];
        if (memory < 0 || row_bytes_[static_cast<std::size_t>(memory)] == 0) continue;
        const auto m = static_cast<std::size_t>(memory);
        const bool gives = step_->loops->buffers[b].written;
        for (std::int64_t turn = gives ? 0 : 1; turn < group.turns - (gives ? 1 : 0); ++turn) {
            const std::int64_t place = (group.turns - turn - (gives ? 1 : 0)) * earlier(m) - first * row_bytes_[m] + step_->kernel->offsets[b];
            pointers[static_cast<std::size_t>(turn) * each + b] = static_cast<char*>(own_[static_cast<std::size_t>(strip)][m]->data()) + place;
        }
    }
    return pointers;
}

void TurnStrips::run_strip(const Group& group, std::int64_t strip) const {
    const std::vector<void*> pointers = pointers_of(group, strip);
    const auto [begin, end] = rows_at(strip, group.turns - 1);
    for (std::int64_t block = begin; block < end + (group.turns - 1) * reach_; block += block_) {
        for (std::int64_t turn = 0; turn < group.turns; ++turn) {
            const Range rows = rows_at(strip, group.turns - 1 - turn);
            const std::int64_t from = std::max(block - turn * reach_, rows.begin), to = std::min(block + block_ - turn * reach_, rows.end);
            if (from >= to) continue;
            run_units(*step_->kernel, pointers.data() + static_cast<std::size_t>(turn) * step_->pointer_count(), values_, from * units_, to * units_,
                      scratch_);
        }
    }
}

}  // namespace fastnp::plan
