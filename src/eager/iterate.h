// Walking several strided operands of one shape together: axes that all of them walk as one are merged, the innermost is handed out in runs, the
// outermost is shared among threads.
#pragma once

#include <algorithm>
#include <array>

#include "base/thread_pool.h"
#include "eager/eager.h"

namespace fastnp::eager {

inline constexpr std::int64_t parallel_elements = 65536;  // below this one thread is fastest
inline constexpr std::int64_t chunk_elements = 512;       // gathered at once

/// Operands over one iteration space.
template <std::size_t N>
struct Walk {
    SmallVector<std::int64_t> shape;
    std::array<SmallVector<std::int64_t>, N> strides;
    std::array<char*, N> data;
    std::int64_t size = 1;
};

template <std::size_t N>
Walk<N> make_walk(const SmallVector<std::int64_t>& shape, const std::array<const View*, N>& views) {
    Walk<N> walk;
    for (const std::int64_t extent : shape) walk.size *= extent;
    for (std::size_t k = 0; k < N; ++k) walk.data[k] = static_cast<char*>(views[k]->data);
    // Axes in order of the first operand's strides, the smallest innermost, so that memory is walked in its own order.
    SmallVector<std::size_t> order;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] != 1) order.push_back(i);
    }
    auto magnitude = [&](std::size_t axis) { return std::abs(views[0]->strides[axis]); };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return magnitude(a) > magnitude(b); });
    for (const std::size_t axis : order) {
        bool joins = !walk.shape.empty();
        for (std::size_t k = 0; k < N && joins; ++k) joins = walk.strides[k].back() == views[k]->strides[axis] * shape[axis];
        if (joins) {
            walk.shape.back() *= shape[axis];
            for (std::size_t k = 0; k < N; ++k) walk.strides[k].back() = views[k]->strides[axis];
        } else {
            walk.shape.push_back(shape[axis]);
            for (std::size_t k = 0; k < N; ++k) walk.strides[k].push_back(views[k]->strides[axis]);
        }
    }
    if (walk.shape.empty()) {
        walk.shape.push_back(1);
        for (std::size_t k = 0; k < N; ++k) walk.strides[k].push_back(0);
    }
    return walk;
}

/// Calls run(pointers, count) for runs along the innermost axis within [begin, end) of the outermost.
template <std::size_t N, class Run>
void walk_range(const Walk<N>& walk, std::int64_t begin, std::int64_t end, Run& run) {
    const std::size_t rank = walk.shape.size();
    std::array<char*, N> at = walk.data;
    for (std::size_t k = 0; k < N; ++k) at[k] += begin * walk.strides[k][0];
    if (rank == 1) {
        run(at, end - begin);
        return;
    }
    SmallVector<std::int64_t> index(rank, 0);
    std::int64_t runs = end - begin;
    for (std::size_t i = 1; i + 1 < rank; ++i) runs *= walk.shape[i];
    for (std::int64_t r = 0; r < runs; ++r) {
        run(at, walk.shape[rank - 1]);
        for (std::size_t i = rank - 1; i-- > 0;) {
            for (std::size_t k = 0; k < N; ++k) at[k] += walk.strides[k][i];
            if (i == 0 || ++index[i] < walk.shape[i]) break;
            for (std::size_t k = 0; k < N; ++k) at[k] -= walk.strides[k][i] * walk.shape[i];
            index[i] = 0;
        }
    }
}

/// The same over everything, by all threads where it is large.
template <std::size_t N, class Run>
void walk_all(const Walk<N>& walk, Run& run) {
    if (walk.size == 0) return;
    const std::int64_t outer = walk.shape[0];
    const int threads = walk.size >= parallel_elements ? base::thread_count() : 1;
    if (threads == 1 || outer == 1) {
        walk_range(walk, 0, outer, run);
        return;
    }
    struct Shared {
        const Walk<N>* walk;
        Run* run;
        std::int64_t outer, tasks;
    };
    Shared shared{&walk, &run, outer, std::min<std::int64_t>({outer, threads * 8, walk.size / (parallel_elements / 4)})};
    base::parallel_for(
        shared.tasks,
        [](void* context, std::int64_t task, int) {
            const Shared& s = *static_cast<Shared*>(context);
            Run own = *s.run;
            walk_range(*s.walk, s.outer * task / s.tasks, s.outer * (task + 1) / s.tasks, own);
        },
        &shared);
}

/// `count` elements of `itemsize` bytes, `stride` apart, put side by side (or back).
void gather(const char* from, std::int64_t stride, std::size_t itemsize, std::int64_t count, char* to);
void scatter(const char* from, std::int64_t stride, std::size_t itemsize, std::int64_t count, char* to);

}  // namespace fastnp::eager
