// Places of elements in order: keys and places are numbers of 64 bits together, which vectors sort.
#include <algorithm>
#include <bit>
#include <memory>
#include <utility>
#include <vector>

#include "eager/kernels.h"
#include "eager/sort_key.h"
#include "eager/sort_line.h"
#include "eager/sort_numbers.h"

namespace fastnp::eager {

namespace {

// Where keys of one and two bytes begin among the places, once all are counted.
template <class T>
void order_by_counts(const T* line, std::int64_t count, std::int64_t* order) {
    std::vector<std::int64_t> places(std::size_t{1} << (8 * sizeof(T)));
    for (std::int64_t i = 0; i < count; ++i) ++places[key_of(line[i])];
    std::int64_t before = 0;
    for (std::int64_t& place : places) before += std::exchange(place, before);
    for (std::int64_t i = 0; i < count; ++i) order[places[key_of(line[i])]++] = i;
}

// A number of 64 bits holds a key's distance to the least one, the lowest bits left out if there is no room for all, and the place.
struct Packing {
    std::uint64_t least;
    int left_out, place_bits;

    std::int64_t pack(std::uint64_t key, std::int64_t place) const {
        const std::uint64_t packed = ((key - least) >> left_out) << place_bits | static_cast<std::uint64_t>(place);
        return std::bit_cast<std::int64_t>(packed ^ top_bit<std::int64_t>);
    }
    std::int64_t place_of(std::int64_t packed) const { return packed & ((std::int64_t{1} << place_bits) - 1); }
    bool are_alike(std::int64_t a, std::int64_t b) const { return a >> place_bits == b >> place_bits; }
};

// The keys of a line's elements, of some of them, and of numbers that are keys.
template <class T>
struct KeysOf {
    static constexpr int bits = 8 * sizeof(T);
    const T* line;
    std::uint64_t operator()(std::int64_t i) const { return key_of(line[i]); }
};

struct Keys {
    static constexpr int bits = 64;
    const std::uint64_t* keys;
    std::uint64_t operator()(std::int64_t i) const { return keys[i]; }
};

template <class Key>
Packing packing_for(std::int64_t count, Key key) {
    const int place_bits = std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count - 1))));
    if (Key::bits + place_bits <= 64) return {0, 0, place_bits};
    std::uint64_t least = ~std::uint64_t{0}, most = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::uint64_t each = key(i);
        least = std::min(least, each);
        most = std::max(most, each);
    }
    const int key_bits = static_cast<int>(std::bit_width(most - least));
    return {least, std::max(0, key_bits + place_bits - 64), place_bits};
}

template <class Key>
void order_by_key(std::int64_t count, Key key, std::int64_t* order);

// Places whose keys are alike but for the bits that were left out, which are not left out of these alone.
template <class Key>
void order_alike(std::int64_t count, Key key, std::int64_t* order) {
    std::int64_t i = 1;
    while (i < count && key(order[i - 1]) <= key(order[i])) ++i;
    if (i >= count) return;
    const std::vector<std::int64_t> places(order, order + count);
    std::vector<std::uint64_t> keys;
    for (const std::int64_t place : places) keys.push_back(key(place));
    order_by_key(count, Keys{keys.data()}, order);
    for (i = 0; i < count; ++i) order[i] = places[static_cast<std::size_t>(order[i])];
}

template <class Key>
void order_by_key(std::int64_t count, Key key, std::int64_t* order) {
    if (count == 0) return;
    const Packing packing = packing_for(count, key);
    for (std::int64_t i = 0; i < count; ++i) order[i] = packing.pack(key(i), i);
    sort_numbers(order, count);
    if (packing.left_out == 0) {
        for (std::int64_t i = 0; i < count; ++i) order[i] = packing.place_of(order[i]);
        return;
    }
    for (std::int64_t begin = 0, end; begin < count; begin = end) {
        const std::int64_t first = order[begin];
        for (end = begin; end < count && packing.are_alike(first, order[end]); ++end) order[end] = packing.place_of(order[end]);
        if (end - begin > 1) order_alike(end - begin, key, order + begin);
    }
}

// The places, reordered by the keys of what is there.
template <class Part>
void reorder(std::int64_t count, std::int64_t* order, Part part) {
    const std::vector<std::int64_t> places(order, order + count);
    std::vector<std::uint64_t> keys;
    for (const std::int64_t place : places) keys.push_back(key_of(part(place)));
    order_by_key(count, Keys{keys.data()}, order);
    for (std::int64_t i = 0; i < count; ++i) order[i] = places[static_cast<std::size_t>(order[i])];
}

// By real, then imaginary parts; those with a NaN last.
template <class T>
void order_complex(const T* line, std::int64_t count, std::int64_t* order) {
    for (std::int64_t i = 0; i < count; ++i) order[i] = i;
    const std::int64_t numbers = std::stable_partition(order, order + count, [&](std::int64_t i) { return !is_nan(line[i]); }) - order;
    std::stable_sort(order + numbers, order + count, [&](std::int64_t a, std::int64_t b) { return sorts_before(line[a], line[b]); });
    reorder(numbers, order, [&](std::int64_t i) { return line[i].real(); });
    for (std::int64_t begin = 0, end; begin < numbers; begin = end) {
        for (end = begin + 1; end < numbers && line[order[end]].real() == line[order[begin]].real(); ++end) {
        }
        if (end - begin > 1) reorder(end - begin, order + begin, [&](std::int64_t i) { return line[i].imag(); });
    }
}

}  // namespace

template <class T>
void order_line(const T* line, std::int64_t count, std::int64_t* order) {
    constexpr std::int64_t many = sizeof(T) == 1 ? 512 : 32768;  // where counts of all keys pay
    if constexpr (ops::Complex<T>) {
        order_complex(line, count, order);
    } else {
        if constexpr (sizeof(T) <= 2) {
            if (count >= many) return order_by_counts(line, count, order);
        }
        order_by_key(count, KeysOf<T>{line}, order);
    }
}

#define DTYPE(name, type, kind, code, text) template void order_line(const type*, std::int64_t, std::int64_t*);
#include "fastnp/ops/dtype.def"

}  // namespace fastnp::eager
