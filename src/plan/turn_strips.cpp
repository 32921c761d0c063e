#include "plan/turn_strips.h"

#include <algorithm>
#include <cstring>

#include "base/thread_pool.h"
#include "nest/axes.h"
#include "plan/launch.h"
#include "plan/turn_tiles.h"

namespace fastnp::plan {

namespace {

constexpr std::int64_t deepest = 32;
constexpr std::int64_t fewest = 6;   // turns; for fewer of them it isn't worth while

// Whether states are read where they are and results written elsewhere, a row at a time, each result taking the place of one state.
bool is_of_pairs(const TurnStep& step, const RowStep& rows, std::span<const int> copies) {
    std::vector<bool> touched(copies.size(), false), written(copies.size(), false);
    for (const Touch& touch : rows.touches) {
        touched[static_cast<std::size_t>(touch.memory)] = true;
        if (!touch.written) continue;
        written[static_cast<std::size_t>(touch.memory)] = true;
        if (touch.low != 0 || touch.high != 0) return false;
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
    std::vector<bool> in_place;  // by memory
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
    if (step.kernel == nullptr || !rows.is_even || !is_of_pairs(step, rows, copies)) return std::nullopt;
    TurnStrips made(step, rows, row_bytes, values);
    if (made.reach_ == 0) return std::nullopt;
    std::int64_t bytes = rows.read_bytes;
    for (const std::int64_t row : made.row_bytes_) bytes += row;
    const std::int64_t fitting = near / std::max<std::int64_t>(bytes, 1), lag = 2 * made.reach_ + 1;
    made.depth_ = std::min({most, deepest, fitting / (2 * lag)});
    if (rows.rows * rows.units * step.kernel->cost * made.depth_ >= parallel_cost) made.strips_ = base::thread_count();
    if (made.strips_ > 1) made.depth_ = std::min(made.depth_, rows.rows / made.strips_ / (16 * made.reach_));  // what is done twice stays little
    if (made.depth_ < fewest) return std::nullopt;
    made.block_ = fitting - lag * made.depth_;
    made.allocate();
    return made;
}

TurnStrips::Range TurnStrips::rows_around(std::int64_t strip, std::int64_t rows) const {
    return {std::max<std::int64_t>(rows_ * strip / strips_ - rows, 0), std::min(rows_ * (strip + 1) / strips_ + rows, rows_)};
}

// The rows on both sides of a strip's bound that the first turn reads where its own rows depend on the neighbour's.
TurnStrips::Range TurnStrips::end_of(std::int64_t strip, int side, std::int64_t turns) const {
    const Range own = rows_around(strip, 0), all = rows_around(strip, turns * reach_);
    return side == 0 ? Range{all.begin, own.begin == 0 ? 0 : own.begin + 2 * reach_} : Range{own.end == rows_ ? rows_ : own.end - 2 * reach_, all.end};
}

bool TurnStrips::touches(std::size_t pointer, std::size_t memory) const {
    return row_bytes_[memory] != 0 && step_->memories[pointer] == static_cast<int>(memory);
}
bool TurnStrips::gives(std::size_t pointer) const { return step_->loops->buffers[pointer].written; }

// By how many bytes each turn's rows lie before those of the turn before: where these are read no more.
std::int64_t TurnStrips::earlier(std::size_t memory) const { return (reach_ + 1) * row_bytes_[memory] + set_apart; }

void TurnStrips::allocate() {
    const std::size_t memories = row_bytes_.size();
    for (std::int64_t strip = 0; strip < strips_; ++strip) {
        Own& own = own_.emplace_back(
            Own{std::vector<device::BufferPtr>(memories), {std::vector<device::BufferPtr>(memories), std::vector<device::BufferPtr>(memories)}});
        for (std::size_t m = 0; m < memories; ++m) {
            if (row_bytes_[m] == 0) continue;
            own.window[m] = device::Buffer::allocate(static_cast<std::size_t>((block_ + depth_ * reach_) * row_bytes_[m] + depth_ * earlier(m)));
            for (const int side : {0, 1}) {
                const Range end = end_of(strip, side, depth_);
                if (end.begin < end.end) own.ends[side][m] = device::Buffer::allocate(static_cast<std::size_t>((end.end - end.begin) * row_bytes_[m]));
            }
        }
    }
}

bool TurnStrips::is_in_place(std::span<void* const> pointers, std::int64_t turns, std::size_t memory) const {
    const std::size_t each = step_->pointer_count();
    const auto begin = [&](std::int64_t turn, bool given) -> const char* {
        for (std::size_t b = 0; b < each; ++b) {
            if (touches(b, memory) && gives(b) == given)
                return static_cast<const char*>(pointers[static_cast<std::size_t>(turn) * each + b]) - step_->kernel->offsets[b];
        }
        return nullptr;  // a state that nothing reads
    };
    return begin(0, false) == begin(turns - 1, true);
}

void TurnStrips::run(std::span<void* const> pointers, std::int64_t turns) const {
    Group group{this, pointers, turns, {}};
    for (std::size_t m = 0; m < row_bytes_.size(); ++m) group.in_place.push_back(row_bytes_[m] != 0 && is_in_place(pointers, turns, m));
    const auto ends = [](void* context, std::int64_t task, int) {
        const Group& own = *static_cast<const Group*>(context);
        own.strips->copy_ends(own, task);
    };
    const auto strip = [](void* context, std::int64_t task, int) {
        const Group& own = *static_cast<const Group*>(context);
        own.strips->run_strip(own, task);
    };
    const bool is_any_in_place = std::find(group.in_place.begin(), group.in_place.end(), true) != group.in_place.end();
    if (strips_ > 1 && is_any_in_place) base::parallel_for(strips_, ends, &group);
    base::parallel_for(strips_, strip, &group);
}

void TurnStrips::copy_ends(const Group& group, std::int64_t strip) const {
    for (std::size_t b = 0; b < step_->pointer_count(); ++b) {
        for (std::size_t m = 0; m < row_bytes_.size(); ++m) {
            if (!touches(b, m) || gives(b) || !group.in_place[m]) continue;
            const char* first = static_cast<const char*>(group.pointers[b]) - step_->kernel->offsets[b];
            for (const int side : {0, 1}) {
                const auto [begin, end] = end_of(strip, side, group.turns);
                const device::BufferPtr& copy = own_[static_cast<std::size_t>(strip)].ends[side][m];
                if (begin < end) std::memcpy(copy->data(), first + begin * row_bytes_[m], static_cast<std::size_t>((end - begin) * row_bytes_[m]));
            }
        }
    }
}

// Pointers of each turn for a block of rows: where what they are for lies in the window, as if that had all rows.
void TurnStrips::place(const Group& group, std::int64_t strip, std::int64_t block, std::vector<void*>& pointers) const {
    const std::size_t each = step_->pointer_count();
    for (std::size_t b = 0; b < each; ++b) {
        for (std::size_t m = 0; m < row_bytes_.size(); ++m) {
            if (!touches(b, m)) continue;
            char* const window = static_cast<char*>(own_[static_cast<std::size_t>(strip)].window[m]->data());
            const std::int64_t last = gives(b) ? group.turns - 1 : group.turns;
            for (std::int64_t turn = gives(b) ? 0 : 1; turn < last; ++turn) {
                const std::int64_t at = (group.turns * reach_ - block) * row_bytes_[m] + (last - turn) * earlier(m) + step_->kernel->offsets[b];
                pointers[static_cast<std::size_t>(turn) * each + b] = window + at;
            }
        }
    }
}

void TurnStrips::run_strip(const Group& group, std::int64_t strip) const {
    std::vector<void*> pointers(group.pointers.begin(), group.pointers.end());
    const auto [begin, end] = rows_around(strip, (group.turns - 1) * reach_);
    for (std::int64_t block = begin; block < end + (group.turns - 1) * reach_; block += block_) {
        if (block > begin) slide(group, strip);
        place(group, strip, block, pointers);
        for (std::int64_t turn = 0; turn < group.turns; ++turn) {
            const Range all = rows_around(strip, (group.turns - 1 - turn) * reach_);
            const Range rows{std::max(block - turn * reach_, all.begin), std::min(block + block_ - turn * reach_, all.end)};
            if (turn == 0) run_first(group, strip, pointers.data(), rows);
            else run_rows(pointers.data() + static_cast<std::size_t>(turn) * step_->pointer_count(), rows);
        }
    }
}

// The first turn reads the shared states, but around the strip's bounds what they were.
void TurnStrips::run_first(const Group& group, std::int64_t strip, void* const* pointers, Range rows) const {
    const Range own = rows_around(strip, 0);
    const Range before{rows.begin, own.begin == 0 ? 0 : std::min(own.begin + reach_, rows.end)};
    const Range after{own.end == rows_ ? rows_ : std::max(own.end - reach_, rows.begin), rows.end};
    run_rows(pointers, {std::max(rows.begin, before.end), std::min(rows.end, after.begin)});
    for (const int side : {0, 1}) {
        const Range end = side == 0 ? before : after;
        if (end.begin >= end.end) continue;
        std::vector<void*> copied(pointers, pointers + step_->pointer_count());
        for (std::size_t b = 0; b < copied.size(); ++b) {
            for (std::size_t m = 0; m < row_bytes_.size(); ++m) {
                if (!touches(b, m) || gives(b) || !group.in_place[m]) continue;
                const device::BufferPtr& copy = own_[static_cast<std::size_t>(strip)].ends[side][m];
                if (!copy) continue;  // no neighbour there
                const std::int64_t first = end_of(strip, side, group.turns).begin;
                copied[b] = static_cast<char*>(copy->data()) - first * row_bytes_[m] + step_->kernel->offsets[b];
            }
        }
        run_rows(copied.data(), end);
    }
}

void TurnStrips::run_rows(void* const* pointers, Range rows) const {
    if (rows.begin < rows.end) run_units(*step_->kernel, pointers, values_, rows.begin * units_, rows.end * units_, scratch_);
}

// What the next block needs takes the place of what this one needed.
void TurnStrips::slide(const Group& group, std::int64_t strip) const {
    for (std::size_t m = 0; m < row_bytes_.size(); ++m) {
        if (row_bytes_[m] == 0) continue;
        char* const window = static_cast<char*>(own_[static_cast<std::size_t>(strip)].window[m]->data());
        const std::int64_t bytes = group.turns * (reach_ * row_bytes_[m] + earlier(m));
        std::memmove(window, window + block_ * row_bytes_[m], static_cast<std::size_t>(bytes));
    }
}

}  // namespace fastnp::plan
