// Elements put at places given by index, moved as they are in units of 1 to 16 bytes. Of several for one place the last one stays.
#include "points.h"

using namespace fastnp::kernels;

// Which indices are the last ones that mean their place. Nothing is done where a check `found` one that is out of bounds.
//
// First notes, for each place, the number of the last index that means it, plus 1; `last` is 0 before.
extern "C" void fastnp_kernel_last_of_place(const std::int64_t* places, std::int64_t count, std::int64_t* last, const std::int64_t* found) {
    if (*found != 0) return;
    for_each(count, [&](std::int64_t i) { __atomic_fetch_max(last + places[i], i + 1, __ATOMIC_RELAXED); });
}
extern "C" void fastnp_kernel_choose_last(const std::int64_t* places, std::int64_t count, const std::int64_t* last, std::uint8_t* chosen,
                                          const std::int64_t* found) {
    if (*found != 0) return;
    for_each(count, [&](std::int64_t i) { chosen[i] = last[places[i]] == i + 1 ? 1 : 0; });
}
// The same by the places in ascending order, and the numbers that they had.
extern "C" void fastnp_kernel_choose_sorted(const std::int64_t* places, std::int64_t count, const std::int64_t* order, std::uint8_t* chosen,
                                            const std::int64_t* found) {
    if (*found != 0) return;
    for_each(count, [&](std::int64_t i) { chosen[order[i]] = i + 1 == count || places[i + 1] != places[i] ? 1 : 0; });
}

namespace {

struct Put {
    const char* values;
    const std::int64_t* places;
    char* out;
    const std::uint8_t* chosen;
    std::int64_t row_stride;

    template <class Unit>
    [[gnu::always_inline]] inline void run(std::int64_t from, std::int64_t index, std::int64_t to) const {
        const std::int64_t number = index / static_cast<std::int64_t>(sizeof(std::int64_t));
        if (chosen != nullptr && chosen[number] == 0) return;
        *reinterpret_cast<Unit*>(at(out, places[number] * row_stride + to)) = *reinterpret_cast<const Unit*>(at(values, from));
    }
};

}  // namespace

// out[p with the row that places[p] says] = values[p], over points of four axes; `places` are contiguous, and without `chosen` all values of a place are
// equal.
#define FASTNP_PUT(bytes, unit)                                                                                                                   \
    extern "C" void fastnp_kernel_put_##bytes(const char* values, const std::int64_t* places, char* out, const std::uint8_t* chosen,              \
                                              const std::int64_t* found, std::int64_t row_stride, std::int64_t points, FASTNP_POINT_PARAMETERS) { \
        if (*found != 0) return;                                                                                                                  \
        const Put put{values, places, out, chosen, row_stride};                                                                                   \
        for_each_point<unit>(put, points, FASTNP_POINT_ARGUMENTS);                                                                                \
    }
FASTNP_EACH_UNIT(FASTNP_PUT)
