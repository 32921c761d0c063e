#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "eager/picked.h"
#include "fastnp/error.h"

namespace fastnp::eager {

namespace {

constexpr std::int64_t task_length = 1 << 16;

// Calls visit(place, number) for some of a line.
template <class Visit>
void each_place(const View& places, std::int64_t begin, std::int64_t end, Visit visit) {
    const std::int64_t step = places.strides[0];
    const char* from = static_cast<const char*>(places.data) + begin * step;
    if (step == sizeof(std::int64_t)) {  // known to the compiler
        for (std::int64_t i = begin; i < end; ++i, from += sizeof(std::int64_t)) visit(*reinterpret_cast<const std::int64_t*>(from), i);
    } else {
        for (std::int64_t i = begin; i < end; ++i, from += step) visit(*reinterpret_cast<const std::int64_t*>(from), i);
    }
}

}  // namespace

std::int64_t places_end(const View& places) {
    std::int64_t least = 0, most = -1;
    each_place(places, 0, places.shape[0], [&](std::int64_t place, std::int64_t) {
        least = std::min(least, place);
        most = std::max(most, place);
    });
    if (least < 0) throw ValueError("'list' argument must have no negative elements");
    if (most == std::numeric_limits<std::int64_t>::max()) throw MemoryError("Unable to allocate counts up to " + std::to_string(most));
    return most + 1;
}

void add_at_places(const View& places, const View& weights, const View& sums) {
    auto* const all = static_cast<double*>(sums.data);
    const auto* const first = static_cast<const char*>(weights.data);
    const std::int64_t step = weights.strides[0];
    each_place(places, 0, places.shape[0], [=](std::int64_t place, std::int64_t i) { all[place] += *reinterpret_cast<const double*>(first + i * step); });
}

void count_places(const View& places, const View& counts) {
    const std::int64_t count = places.shape[0], length = counts.shape[0], threads = base::thread_count();
    auto* const all = static_cast<std::int64_t*>(counts.data);
    const auto count_into = [&places](std::int64_t* to, std::int64_t begin, std::int64_t end) {
        each_place(places, begin, end, [to](std::int64_t place, std::int64_t) { ++to[place]; });
    };
    // Each thread counts by itself, where what they have counted is soon added.
    if (threads == 1 || count < 2 * task_length || length * threads * 4 > count) return count_into(all, 0, count);
    std::vector<std::vector<std::int64_t>> own(static_cast<std::size_t>(threads));
    auto body = [&](std::int64_t task, int worker) {
        std::vector<std::int64_t>& mine = own[static_cast<std::size_t>(worker)];
        mine.resize(static_cast<std::size_t>(length));
        count_into(mine.data(), task * task_length, std::min(count, (task + 1) * task_length));
    };
    const auto run = [](void* context, std::int64_t task, int worker) { (*static_cast<decltype(body)*>(context))(task, worker); };
    base::parallel_for((count + task_length - 1) / task_length, run, &body);
    for (const std::vector<std::int64_t>& each : own) {
        for (std::size_t i = 0; i < each.size(); ++i) all[i] += each[i];
    }
}

}  // namespace fastnp::eager
