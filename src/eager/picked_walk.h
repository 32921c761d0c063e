// How picked elements are gone over: indices as offsets, a piece of them at a time, and what lies beside the picked axes in lanes.
#pragma once

#include <algorithm>
#include <cstring>

#include "base/thread_pool.h"
#include "eager/picked.h"

namespace fastnp::eager {

/// Picked elements, or blocks of them, of some lanes: `count` in each.
struct PickedPiece {
    const std::int64_t* offsets;  // bytes from x
    std::int64_t count;
    char* x;
    char* other;
    std::int64_t step;  // of the other, from one to the next
    std::int64_t lanes, x_lane, other_lane;  // how many, and bytes from one to the next

    /// Calls each(element of x, element of the other) for all: in order in each lane, the longer way innermost.
    template <class Each>
    void all(Each each) const {
        if (lanes > count) {
            for (std::int64_t i = 0; i < count; ++i) {
                char *from = x + offsets[i], *to = other + i * step;
                for (std::int64_t n = 0; n < lanes; ++n, from += x_lane, to += other_lane) each(from, to);
            }
            return;
        }
        char *from = x, *first = other;
        for (std::int64_t n = 0; n < lanes; ++n, from += x_lane, first += other_lane) {
            char* to = first;
            for (std::int64_t i = 0; i < count; ++i, to += step) each(from + offsets[i], to);
        }
    }
};

/// Axes that are gone over, in C order, and the bytes of their steps in each of what goes along. Those that can be one are one.
class WalkedAxes {
public:
    explicit WalkedAxes(std::size_t along) : along_(along) {}

    /// An axis within those that are there. `steps`: as many as go along.
    void add(std::int64_t size, const std::int64_t* steps) {
        count_ *= size;
        if (size == 1) return;
        bool spans = !sizes_.empty();
        for (std::size_t i = 0; spans && i < along_; ++i) spans = steps_[steps_.size() - along_ + i] == steps[i] * size;
        if (spans) {
            sizes_.back() *= size;
            std::copy(steps, steps + along_, steps_.end() - static_cast<std::ptrdiff_t>(along_));
        } else {
            sizes_.push_back(size);
            for (std::size_t i = 0; i < along_; ++i) steps_.push_back(steps[i]);
        }
    }

    std::int64_t count() const { return count_; }
    std::int64_t inner() const { return sizes_.empty() ? 1 : sizes_.back(); }
    std::size_t rank() const { return sizes_.size(); }
    std::int64_t size(std::size_t axis) const { return sizes_[axis]; }
    std::int64_t step(std::size_t axis, std::size_t of) const { return steps_[axis * along_ + of]; }
    std::int64_t inner_step(std::size_t of) const { return sizes_.empty() ? 0 : steps_[steps_.size() - along_ + of]; }
    /// Bytes to a place in one of what goes along.
    std::int64_t bytes(std::int64_t place, std::size_t of) const {
        std::int64_t found = 0;
        for (std::size_t i = sizes_.size(); i-- > 0;) {
            found += place % sizes_[i] * steps_[i * along_ + of];
            place /= sizes_[i];
        }
        return found;
    }

private:
    std::size_t along_;
    std::int64_t count_ = 1;
    SmallVector<std::int64_t> sizes_, steps_;
};

/// Picked elements beside the elements of `other`, which are as a result's.
class PickedWalk {
public:
    PickedWalk(const Picked& picked, const View& other);

    /// Bytes that lie together in both at each place.
    std::size_t block() const { return block_; }

    /// Calls visit(PickedPiece) for all: in order within each lane.
    template <class Visit>
    void all(Visit visit) const {
        part(0, lanes(), 0, picks_.count(), visit);
    }
    /// The same by all threads, in any order. `ordered`: in each lane as above.
    template <class Visit>
    void shared(bool ordered, Visit visit) const;

private:
    static constexpr std::int64_t piece = 1024;
    static constexpr std::int64_t task_bytes = 1 << 18;

    void add_line(std::size_t index, const char* from, std::int64_t count, std::int64_t* offsets) const;
    void add_apart(std::size_t index, std::int64_t first, std::int64_t count, std::int64_t* offsets) const;
    void find_offsets(std::int64_t first, std::int64_t count, std::int64_t* offsets) const;
    template <class Visit>
    void part(std::int64_t lane, std::int64_t last_lane, std::int64_t pick, std::int64_t last_pick, Visit& visit) const;
    std::int64_t lanes() const { return block_ == 0 ? 0 : beside_.count(); }

    const Picked& picked_;
    char* other_;
    WalkedAxes picks_;   // the indices' axes: each index
    WalkedAxes of_other_;  // the same axes of the other
    WalkedAxes beside_;  // the other axes: x, then the other
    std::size_t block_;
};

template <class Visit>
void PickedWalk::part(std::int64_t lane, std::int64_t last_lane, std::int64_t pick, std::int64_t last_pick, Visit& visit) const {
    std::int64_t offsets[piece];
    const std::int64_t line = of_other_.inner(), lanes = beside_.inner();
    while (pick < last_pick) {
        const std::int64_t count = std::min({piece, last_pick - pick, line - pick % line});
        find_offsets(pick, count, offsets);
        char* const beside = other_ + of_other_.bytes(pick, 0);
        for (std::int64_t at = lane; at < last_lane;) {
            const std::int64_t end = std::min(last_lane, at - at % lanes + lanes);
            visit(PickedPiece{offsets, count, static_cast<char*>(picked_.x.data) + beside_.bytes(at, 0), beside + beside_.bytes(at, 1),
                              of_other_.inner_step(0), end - at, beside_.inner_step(0), beside_.inner_step(1)});
            at = end;
        }
        pick += count;
    }
}

template <class Visit>
void PickedWalk::shared(bool ordered, Visit visit) const {
    const std::int64_t bytes = picks_.count() * lanes() * static_cast<std::int64_t>(block_);
    const bool by_lanes = ordered || lanes() * 16 > picks_.count();
    const std::int64_t length = by_lanes ? lanes() : picks_.count(), tasks = std::min(length, bytes / task_bytes);
    if (tasks < 2) return all(visit);
    struct Context {
        const PickedWalk& walk;
        Visit& visit;
        std::int64_t length, tasks;
        bool by_lanes;
    } context{*this, visit, length, tasks, by_lanes};
    const auto body = [](void* given, std::int64_t task, int) {
        Context& own = *static_cast<Context*>(given);
        const std::int64_t first = task * own.length / own.tasks, last = (task + 1) * own.length / own.tasks;
        if (own.by_lanes) own.walk.part(first, last, 0, own.walk.picks_.count(), own.visit);
        else own.walk.part(0, own.walk.lanes(), first, last, own.visit);
    };
    base::parallel_for(tasks, body, &context);
}

}  // namespace fastnp::eager
