// Elements taken by index, moved as they are in units of 1 to 16 bytes, whatever their dtype; and indices looked at.
#include "indices.h"
#include "points.h"

using namespace fastnp::kernels;

namespace {

struct Gather {
    const char* x;
    const char* indices;
    char* out;
    std::int64_t axis_stride, extent, mode;

    // The place along an axis that an index means, always one that is there: indices out of bounds are found by check_indices.
    [[gnu::always_inline]] inline std::int64_t place_of(std::int64_t index) const {
        enum { raise = 0, wrap = 1, clip = 2 };
        if (mode == wrap) index %= extent;
        if (mode != clip && index < 0) index += extent;
        return index < 0 ? 0 : index >= extent ? extent - 1 : index;
    }

    template <class Unit>
    [[gnu::always_inline]] inline void run(std::int64_t from, std::int64_t index, std::int64_t to) const {
        const std::int64_t place = place_of(*reinterpret_cast<const std::int64_t*>(at(indices, index)));
        *reinterpret_cast<Unit*>(at(out, to)) = *reinterpret_cast<const Unit*>(at(x, from + place * axis_stride));
    }
};

}  // namespace

// out[p] = x[p with the place along one axis that indices[p] says].
#define FASTNP_GATHER(bytes, unit)                                                                                                             \
    extern "C" void fastnp_kernel_gather_##bytes(const char* x, const char* indices, char* out, std::int64_t axis_stride, std::int64_t extent, \
                                                 std::int64_t mode, std::int64_t points, FASTNP_POINT_PARAMETERS) {                            \
        const Gather gather{x, indices, out, axis_stride, extent, mode};                                                                       \
        for_each_point<unit>(gather, points, FASTNP_POINT_ARGUMENTS);                                                                          \
    }
FASTNP_EACH_UNIT(FASTNP_GATHER)

// Notes the first of contiguous indices that is out of bounds; and the same where the places that they mean are stored, as numbers of 32 or 64 bits.
extern "C" void fastnp_kernel_check_indices(const std::int64_t* indices, std::int64_t count, std::int64_t extent, std::int64_t* found) {
    const Indices given{indices, count, extent};
    for_each(count, [&](std::int64_t i) { given.checked_place(i, found); });
}
#define FASTNP_STORE_PLACES(width, Place)                                                                                                         \
    extern "C" void fastnp_kernel_store_places_##width(const std::int64_t* indices, std::int64_t count, std::int64_t extent, std::int64_t* found, \
                                                       Place* places) {                                                                           \
        const Indices given{indices, count, extent};                                                                                              \
        for_each(count, [&](std::int64_t i) {                                                                                                     \
            const std::int64_t place = given.checked_place(i, found);                                                                             \
            places[i] = static_cast<Place>(place < 0 ? 0 : place);                                                                                \
        });                                                                                                                                       \
    }
FASTNP_STORE_PLACES(narrow, std::uint32_t)
FASTNP_STORE_PLACES(wide, std::int64_t)

// The same, with values of at most 4 bytes for these places, which go along with them as 32 bits.
#define FASTNP_STORE_PAIRS(bytes, unit)                                                                                                          \
    extern "C" void fastnp_kernel_store_pairs_##bytes(const std::int64_t* indices, std::int64_t count, std::int64_t extent, std::int64_t* found, \
                                                      const char* values, std::int64_t stride, std::uint32_t* places, std::uint32_t* bits) {     \
        const Indices given{indices, count, extent};                                                                                             \
        for_each(count, [&](std::int64_t i) {                                                                                                    \
            const std::int64_t place = given.checked_place(i, found);                                                                            \
            places[i] = static_cast<std::uint32_t>(place < 0 ? 0 : place);                                                                       \
            bits[i] = *reinterpret_cast<const unit*>(at(values, i * stride));                                                                    \
        });                                                                                                                                      \
    }
FASTNP_STORE_PAIRS(1, std::uint8_t)
FASTNP_STORE_PAIRS(2, std::uint16_t)
FASTNP_STORE_PAIRS(4, std::uint32_t)

// Behind that: which index it was, for memory of indices may be used otherwise when the host asks.
extern "C" void fastnp_kernel_note_index(const std::int64_t* indices, std::int64_t count, std::int64_t* found) {
    if (block() == 0 && thread() == 0 && found[0] != 0) found[1] = indices[count - found[0]];
}
