// Elements put at places given by index, moved as they are in units of 1 to 16 bytes. Of several for one place the last one stays. What writes to the
// result does nothing where a check `found` an index that is out of bounds; what comes before such a kernel, and writes elsewhere, may be the check.
#include "indices.h"
#include "points.h"

using namespace fastnp::kernels;

// Checks indices, and notes for each place the number of the last index that means it, plus 1; `last` is 0 before.
extern "C" void fastnp_kernel_last_of_place(const std::int64_t* indices, std::int64_t count, std::int64_t extent, std::int64_t* found,
                                            std::uint32_t* last) {
    const Indices given{indices, count, extent};
    for_each(count, [&](std::int64_t i) {
        const std::int64_t place = given.checked_place(i, found);
        if (place >= 0) __atomic_fetch_max(last + place, static_cast<std::uint32_t>(i + 1), __ATOMIC_RELAXED);
    });
}
// Which values are the last ones for their place, by the places in ascending order, and the numbers that they had.
#define FASTNP_CHOOSE_SORTED(width, Place)                                                                                                        \
    extern "C" void fastnp_kernel_choose_sorted_##width(const Place* places, std::int64_t count, const std::int64_t* order, std::uint8_t* chosen, \
                                                        const std::int64_t* found) {                                                              \
        if (is_stopped(found)) return;                                                                                                            \
        for_each(count, [&](std::int64_t i) { chosen[order[i]] = i + 1 == count || places[i + 1] != places[i] ? 1 : 0; });                        \
    }
FASTNP_CHOOSE_SORTED(narrow, std::uint32_t)
FASTNP_CHOOSE_SORTED(wide, std::int64_t)

namespace {

struct Put {
    const char* values;
    Indices given;
    char* out;
    const std::uint8_t* chosen;
    const std::uint32_t* last;
    std::int64_t row_stride;

    template <class Unit>
    [[gnu::always_inline]] inline void run(std::int64_t from, std::int64_t index, std::int64_t to) const {
        const std::int64_t number = index / static_cast<std::int64_t>(sizeof(std::int64_t)), place = given.place(number);
        if (place < 0 || (chosen != nullptr && chosen[number] == 0)) return;
        if (last != nullptr && last[place] != static_cast<std::uint32_t>(number + 1)) return;
        *reinterpret_cast<Unit*>(at(out, place * row_stride + to)) = *reinterpret_cast<const Unit*>(at(values, from));
    }
};

}  // namespace

// out[p with the row that indices[p] means] = values[p], over points of four axes; without `chosen` and `last` all values of a place are equal.
#define FASTNP_PUT(bytes, unit)                                                                                                                   \
    extern "C" void fastnp_kernel_put_##bytes(const char* values, const std::int64_t* indices, char* out, const std::uint8_t* chosen,             \
                                              const std::uint32_t* last, const std::int64_t* found, std::int64_t extent, std::int64_t row_stride, \
                                              std::int64_t points, FASTNP_POINT_PARAMETERS) {                                                     \
        if (is_stopped(found)) return;                                                                                                            \
        const Put put{values, {indices, 0, extent}, out, chosen, last, row_stride};                                                               \
        for_each_point<unit>(put, points, FASTNP_POINT_ARGUMENTS);                                                                                \
    }
FASTNP_EACH_UNIT(FASTNP_PUT)

// Single elements of at most 4 bytes go along with their numbers, so that places in far memory are gone to once: checks indices, and notes for each place
// the number of the last index that means it, plus 1, above the bits of its value; `newest` is 0 before.
#define FASTNP_PUT_NEWEST(bytes, unit)                                                                                                      \
    extern "C" void fastnp_kernel_newest_##bytes(const std::int64_t* indices, std::int64_t count, std::int64_t extent, std::int64_t* found, \
                                                 const char* values, std::int64_t stride, std::uint64_t* newest) {                          \
        const Indices given{indices, count, extent};                                                                                        \
        for_each(count, [&](std::int64_t i) {                                                                                               \
            const std::int64_t place = given.checked_place(i, found);                                                                       \
            if (place < 0) return;                                                                                                          \
            const std::uint64_t value = *reinterpret_cast<const unit*>(at(values, i * stride));                                             \
            __atomic_fetch_max(newest + place, static_cast<std::uint64_t>(i + 1) << 32 | value, __ATOMIC_RELAXED);                          \
        });                                                                                                                                 \
    }                                                                                                                                       \
    extern "C" void fastnp_kernel_put_newest_##bytes(const std::uint64_t* newest, char* out, std::int64_t rows, std::int64_t row_stride,    \
                                                     const std::int64_t* found) {                                                           \
        if (is_stopped(found)) return;                                                                                                      \
        for_each(rows, [&](std::int64_t row) {                                                                                              \
            const std::uint64_t value = newest[row];                                                                                        \
            if (value != 0) *reinterpret_cast<unit*>(at(out, row * row_stride)) = static_cast<unit>(value);                                 \
        });                                                                                                                                 \
    }
FASTNP_PUT_NEWEST(1, std::uint8_t)
FASTNP_PUT_NEWEST(2, std::uint16_t)
FASTNP_PUT_NEWEST(4, std::uint32_t)
