#include "plan/turn_tiles.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/thread_pool.h"
#include "plan/launch.h"

namespace fastnp::plan {

namespace {

constexpr std::int64_t deepest = 32;      // turns: with more, the triangles grow and little is gained
constexpr std::int64_t deepest_apart = 256;  // where rows depend on no others

// What of a thread's near cache a block of rows may take.
std::int64_t near_bytes() {
    static const std::int64_t bytes = std::clamp<std::int64_t>(sysconf(_SC_LEVEL2_CACHE_SIZE), std::int64_t{256} << 10, std::int64_t{4} << 20) / 2;
    return bytes;
}

}  // namespace

TurnTiles::TurnTiles(const std::vector<TurnStep>& steps, const std::vector<int>& copies, const std::int64_t* values, std::int64_t most)
    : steps_(steps), values_(values), row_bytes_(copies.size(), 0) {
    first_.push_back(0);
    for (const TurnStep& step : steps) {
        scratch_.push_back(step.kernel != nullptr ? scratch_bytes(*step.kernel, values) : 0);
        first_.push_back(first_.back() + step.pointer_count());
    }
    if (steps.empty() || most < 2 || !find_rows(copies)) rows_.clear();
    if (is_tiled()) choose(most);
    if (depth_ > 1 && steps.size() == 1) strips_ = TurnStrips::of(steps[0], rows_[0], copies, row_bytes_, values, near_bytes(), most);
    if (depth_ == 1) rows_.clear();
}

std::int64_t TurnTiles::together(std::int64_t left) const { return std::min(strips_ && left > 1 ? strips_->depth() : depth_, left); }

bool TurnTiles::find_rows(const std::vector<int>& copies) {
    rows_.resize(steps_.size());
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const TurnStep& step = steps_[i];
        if (step.kernel == nullptr) continue;
        std::optional<RowStep> rows = rows_of(*step.loops, *step.schedule, *step.kernel, step.memories, row_bytes_, values_);
        if (!rows) return false;
        rows_[i] = std::move(*rows);
        bytes_in_use_ += rows_[i].read_bytes;
    }
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const TurnStep& step = steps_[i];
        if (step.kernel != nullptr) continue;
        const int memory = step.memories[0];
        const std::int64_t row = memory < 0 ? 0 : row_bytes_[static_cast<std::size_t>(memory)];
        if (row == 0) return false;  // no kernel touches it
        rows_[i] = {.rows = (static_cast<std::int64_t>(step.bytes) + row - 1) / row, .units = 1, .touches = {{memory, 0, 0, false}}};
    }
    for (const RowStep& step : rows_) most_rows_ = std::max(most_rows_, step.rows);
    for (std::size_t i = 0; i < copies.size(); ++i) bytes_in_use_ += copies[i] * row_bytes_[i];
    shift_ = shift_of(rows_);
    return true;
}

// Blocks, so deep that the far memory is read and written seldom, and so that a block, and what its steps lag behind, stay in the near cache.
void TurnTiles::choose(std::int64_t most) {
    const std::int64_t fitting = near_bytes() / std::max<std::int64_t>(bytes_in_use_, 1);
    const std::int64_t lag = shift_ * static_cast<std::int64_t>(steps_.size());  // of a turn
    depth_ = std::min(most, lag == 0 ? deepest_apart : std::clamp<std::int64_t>(fitting / (4 * lag), 1, deepest));
    std::int64_t cost = 0;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        if (steps_[i].kernel != nullptr) cost += rows_[i].rows * rows_[i].units * steps_[i].kernel->cost;
    }
    const std::int64_t threads = cost * depth_ < parallel_cost ? 1 : base::thread_count();
    if (threads > 1) {
        // A chunk's triangles must not meet.
        const auto fits = [&] { return lag == 0 ? most_rows_ : most_rows_ / (2 * lag * depth_); };
        while (depth_ > 1 && fits() < threads) depth_ /= 2;
        chunks_ = std::clamp<std::int64_t>(fits(), 1, 2 * threads);
        if (chunks_ < threads) depth_ = 1;
    }
    block_ = std::max<std::int64_t>(fitting - lag * depth_, 1);
}

void TurnTiles::run(const std::vector<void*>& pointers, std::int64_t turns) const {
    if (!is_tiled()) {
        for (std::int64_t turn = 0; turn < turns; ++turn) {
            void* const* own = pointers.data() + static_cast<std::size_t>(turn) * first_.back();
            for (std::size_t i = 0; i < steps_.size(); ++i) run_whole(own + first_[i], steps_[i]);
        }
        return;
    }
    if (strips_ && turns > 1) {
        strips_->run(pointers, turns);
        return;
    }
    Tile tile{this, pointers.data(), turns * static_cast<std::int64_t>(steps_.size())};
    if (chunks_ == 1) {
        run_chunk(tile, 0);
        return;
    }
    const auto chunk = [](void* context, std::int64_t task, int) {
        const Tile& own = *static_cast<const Tile*>(context);
        own.tiles->run_chunk(own, task);
    };
    const auto end = [](void* context, std::int64_t task, int) {
        const Tile& own = *static_cast<const Tile*>(context);
        own.tiles->run_end(own, task);
    };
    base::parallel_for(chunks_, chunk, &tile);
    if (shift_ != 0) base::parallel_for(chunks_ - 1, end, &tile);
}

void TurnTiles::run_whole(void* const* pointers, const TurnStep& step) const {
    if (step.kernel != nullptr) launch(*step.kernel, pointers, values_);
    else if (pointers[1] != nullptr) std::memcpy(pointers[1], pointers[0], step.bytes);
}

// Rows of a step, counted from the first turn's first.
void TurnTiles::run_rows(const Tile& tile, std::int64_t number, std::int64_t begin, std::int64_t end) const {
    const auto count = static_cast<std::int64_t>(steps_.size());
    const auto place = static_cast<std::size_t>(number % count);
    const RowStep& rows = rows_[place];
    begin = std::max<std::int64_t>(begin, 0);
    end = std::min(end, rows.rows);
    if (begin >= end) return;
    void* const* pointers = tile.pointers + static_cast<std::size_t>(number / count) * first_.back() + first_[place];
    const TurnStep& step = steps_[place];
    if (step.kernel != nullptr) {
        run_units(*step.kernel, pointers, values_, begin * rows.units, end * rows.units, scratch_[place]);
        return;
    }
    if (pointers[1] == nullptr) return;
    const auto row = static_cast<std::size_t>(row_bytes_[static_cast<std::size_t>(step.memories[0])]);
    const std::size_t from = static_cast<std::size_t>(begin) * row, to = std::min(static_cast<std::size_t>(end) * row, step.bytes);
    std::memcpy(static_cast<char*>(pointers[1]) + from, static_cast<const char*>(pointers[0]) + from, to - from);
}

void TurnTiles::run_chunk(const Tile& tile, std::int64_t chunk) const {
    const bool first = chunk == 0, last = chunk == chunks_ - 1;
    const std::int64_t from = bound_of(chunk), to = bound_of(chunk + 1), all_lag = (tile.steps - 1) * shift_;
    for (std::int64_t block = from; block < (last ? to + all_lag : to); block += block_) {
        for (std::int64_t step = 0; step < tile.steps; ++step) {
            const std::int64_t lag = step * shift_;
            const std::int64_t begin = first ? block - lag : std::max(from + lag, block - lag);
            const std::int64_t end = block + block_ - lag;
            run_rows(tile, step, begin, last ? end : std::min(to - lag, end));
        }
    }
}

// What the chunks before and after a bound left between them.
void TurnTiles::run_end(const Tile& tile, std::int64_t chunk) const {
    const std::int64_t at = bound_of(chunk + 1);
    for (std::int64_t step = 0; step < tile.steps; ++step) run_rows(tile, step, at - step * shift_, at + step * shift_);
}

}  // namespace fastnp::plan
