// A few elements picked from a line, and set there. (Kernels for many, of all layouts, are in eager.)
#include <cstring>

#include "eager/fold_span.h"
#include "eager/places.h"
#include "fastnp/detail/elements.h"

namespace fastnp::detail {

namespace {

// `body` with the size of an element as a constant, which makes moves of its copies; elements of other sizes (rows) are copied as such.
template <class F>
void with_itemsize(std::size_t itemsize, F body) {
    switch (itemsize) {
        case 1: return body(std::integral_constant<std::size_t, 1>());
        case 2: return body(std::integral_constant<std::size_t, 2>());
        case 4: return body(std::integral_constant<std::size_t, 4>());
        case 8: return body(std::integral_constant<std::size_t, 8>());
        case 16: return body(std::integral_constant<std::size_t, 16>());
        default: return body(itemsize);
    }
}

}  // namespace

std::int64_t count_true(const char* mask, std::int64_t size) {
    std::int64_t count = 0;
    eager::count_fold().span(mask, size, &count);
    return count;
}

void take_masked(const Line& from, const char* mask, char* to, std::int64_t count) {
    with_itemsize(from.itemsize, [&](auto itemsize) {
        const char* at = from.data;
        const char* const end = to + static_cast<std::size_t>(count) * itemsize;
        // Each is written, and the next one over it where it is not wanted: without a branch.
        for (; to != end; at += from.step, ++mask) {
            std::memcpy(to, at, itemsize);
            to += *mask != 0 ? static_cast<std::size_t>(itemsize) : 0;
        }
    });
}

void put_masked(const Line& to, const char* mask, const char* from, std::int64_t from_step) {
    with_itemsize(to.itemsize, [&](auto itemsize) {
        char* at = to.data;
        for (std::int64_t i = 0; i < to.size; ++i, at += to.step) {
            if (mask[i] == 0) continue;
            std::memcpy(at, from, itemsize);
            from += from_step;
        }
    });
}

bool are_places(const std::int64_t* places, std::int64_t count, std::int64_t size) { return eager::are_places(places, count, size, size); }

void take_places(const Line& from, const std::int64_t* places, std::int64_t count, char* to) {
    with_itemsize(from.itemsize, [&](auto itemsize) {
        for (std::int64_t i = 0; i < count; ++i, to += static_cast<std::size_t>(itemsize)) {
            std::memcpy(to, from.data + eager::from_start(places[i], from.size) * from.step, itemsize);
        }
    });
}

void put_places(const Line& to, const std::int64_t* places, std::int64_t count, const char* from, std::int64_t from_step) {
    with_itemsize(to.itemsize, [&](auto itemsize) {
        for (std::int64_t i = 0; i < count; ++i, from += from_step) {
            std::memcpy(to.data + eager::from_start(places[i], to.size) * to.step, from, itemsize);
        }
    });
}

}  // namespace fastnp::detail
