// Elements put at places given by index, moved as they are in units of 1 to 16 bytes. Of several for one place the last one stays.
#include "points.h"

using namespace fastnp::kernels;

// Notes, for each place, the number of the last index that means it, plus 1. Nothing is done where a check `found` an index that is out of bounds.
extern "C" void fastnp_kernel_last_of_place(const std::int64_t* places, std::int64_t count, std::int64_t* last, const std::int64_t* found) {
    if (*found != 0) return;
    for_each(count, [&](std::int64_t i) { __atomic_fetch_max(last + places[i], i + 1, __ATOMIC_RELAXED); });
}

namespace {

struct Put {
    const char* values;
    const std::int64_t* places;
    char* out;
    const std::int64_t* last;
    std::int64_t row_stride;

    template <class Unit>
    [[gnu::always_inline]] inline void run(std::int64_t from, std::int64_t index, std::int64_t to) const {
        const std::int64_t number = index / static_cast<std::int64_t>(sizeof(std::int64_t)), place = places[number];
        if (last != nullptr && last[place] != number + 1) return;
        *reinterpret_cast<Unit*>(at(out, place * row_stride + to)) = *reinterpret_cast<const Unit*>(at(values, from));
    }
};

}  // namespace

// out[p with the row that places[p] says] = values[p], over points of four axes; `places` are contiguous, and without `last` all values of a place are
// equal.
#define FASTNP_PUT(bytes, unit)                                                                                                                   \
    extern "C" void fastnp_kernel_put_##bytes(const char* values, const std::int64_t* places, char* out, const std::int64_t* last,                \
                                              const std::int64_t* found, std::int64_t row_stride, std::int64_t points, FASTNP_POINT_PARAMETERS) { \
        if (*found != 0) return;                                                                                                                  \
        const Put put{values, places, out, last, row_stride};                                                                                     \
        for_each_point<unit>(put, points, FASTNP_POINT_ARGUMENTS);                                                                                \
    }
FASTNP_EACH_UNIT(FASTNP_PUT)
