#include "eager/sort_line.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "eager/kernels.h"
#include "eager/sort_key.h"
#include "eager/sort_numbers.h"

namespace fastnp::eager {

namespace {

// Elements of one and two bytes are counted by key.
template <class T>
void sort_by_counts(T* line, std::int64_t count) {
    std::vector<std::int64_t> counts(std::size_t{1} << (8 * sizeof(T)));
    for (std::int64_t i = 0; i < count; ++i) ++counts[key_of(line[i])];
    T* at = line;
    for (std::size_t key = 0; key < counts.size(); ++key) {
        if (counts[key] != 0) at = std::fill_n(at, counts[key], element_of_key<T>(static_cast<KeyOf<T>>(key)));
    }
}

// The others as numbers that vectors sort.
template <class T, class Wide>
void sort_widened(T* line, std::int64_t count) {
    const std::unique_ptr<Wide[]> keys(new Wide[static_cast<std::size_t>(count)]);
    constexpr auto low = static_cast<KeyOf<Wide>>(sizeof(T) == sizeof(Wide) ? top_bit<Wide> : 0);
    for (std::int64_t i = 0; i < count; ++i) keys[static_cast<std::size_t>(i)] = static_cast<Wide>(key_of(line[i]) ^ low);
    sort_numbers(keys.get(), count);
    for (std::int64_t i = 0; i < count; ++i)
        line[i] = element_of_key<T>(static_cast<KeyOf<T>>(static_cast<KeyOf<Wide>>(keys[static_cast<std::size_t>(i)]) ^ low));
}

// Elements without NaN, of one zero.
template <class T>
void sort_plain(T* line, std::int64_t count) {
    if constexpr (has_vector_sort<T>) {
        sort_numbers(line, count);
    } else if constexpr (sizeof(T) == 1) {
        sort_by_counts(line, count);
    } else if constexpr (sizeof(T) == 2) {
        constexpr std::int64_t many = 16384;  // counts of all keys are looked at
        if (count < many) sort_widened<T, std::int32_t>(line, count);
        else sort_by_counts(line, count);
    } else {
        sort_widened<T, std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>(line, count);
    }
}

template <class T>
bool is_plain(const T* line, std::int64_t count) {
    if constexpr (is_whole<T>) return true;
    else if constexpr (has_vector_sort<T>) return vector_sort_of<T>().is_plain(line, static_cast<std::size_t>(count));
    else return std::none_of(line, line + count, [](T x) { return is_nan(x) || std::bit_cast<KeyOf<T>>(x) == top_bit<T>; });
}

// What sorting numbers by vectors would lose: NaN are put last, and the signs of zeros are kept aside, in order.
template <class T>
class Oddities {
public:
    Oddities(T* line, std::int64_t count) : line_(line), numbers_(count) {
        if (is_plain(line, count)) return;
        numbers_ = std::stable_partition(line, line + count, [](T x) { return !is_nan(x); }) - line;
        for (std::int64_t i = 0; i < numbers_; ++i) {
            if (is_zero(line[i])) zeros_.push_back(line[i]);
            below_ += is_below(line[i]) ? 1 : 0;
        }
    }
    std::int64_t numbers() const { return numbers_; }

    // Zeros among [first, end), which are in order.
    void put_back(std::int64_t first, std::int64_t end) const {
        if (zeros_.empty()) return;
        for (std::int64_t i = std::max(first, below_); i < std::min(end, below_ + static_cast<std::int64_t>(zeros_.size())); ++i) {
            line_[i] = zeros_[static_cast<std::size_t>(i - below_)];
        }
    }
    // All zeros, wherever they are.
    void put_back() const {
        auto zero = zeros_.begin();
        for (T* at = line_; zero != zeros_.end(); ++at) {
            if (is_zero(*at)) *at = *zero++;
        }
    }

private:
    static bool is_zero(T x) { return (std::bit_cast<KeyOf<T>>(x) & ~top_bit<T>) == 0; }
    static bool is_below(T x) { return std::bit_cast<KeyOf<T>>(x) > top_bit<T>; }

    T* line_;
    std::int64_t numbers_, below_ = 0;
    std::vector<T> zeros_;
};

// Between two elements: those at these places, which count from `line`.
template <class T>
void select(T* line, std::int64_t begin, std::int64_t end, const std::int64_t* first, const std::int64_t* last) {
    if (first == last || end - begin <= 1) return;
    const std::int64_t* const middle = first + (last - first) / 2;
    vector_sort_of<T>().select(line + begin, static_cast<std::size_t>(*middle - begin), static_cast<std::size_t>(end - begin));
    select(line, begin, *middle, first, middle);
    select(line, *middle + 1, end, middle + 1, last);
}

template <class T>
void select(T* line, std::int64_t numbers, std::span<const std::int64_t> places) {
    const std::int64_t* const past = std::lower_bound(places.data(), places.data() + places.size(), numbers);
    select(line, 0, numbers, places.data(), past);
}

template <class T>
void gather_in_order(T* line, std::int64_t count) {
    const std::unique_ptr<std::int64_t[]> order(new std::int64_t[static_cast<std::size_t>(count)]);
    order_line(line, count, order.get());
    const std::unique_ptr<T[]> sorted(new T[static_cast<std::size_t>(count)]);
    for (std::int64_t i = 0; i < count; ++i) sorted[static_cast<std::size_t>(i)] = line[order[static_cast<std::size_t>(i)]];
    std::copy_n(sorted.get(), count, line);
}

}  // namespace

template <class T>
void sort_line(T* line, std::int64_t count) {
    if constexpr (ops::Complex<T>) {
        gather_in_order(line, count);
    } else if constexpr (is_whole<T>) {
        sort_plain(line, count);
    } else {
        const Oddities<T> odd(line, count);
        sort_plain(line, odd.numbers());
        odd.put_back(0, count);
    }
}

template <class T>
void sort_part(T* line, std::int64_t count, std::int64_t first, std::int64_t part) {
    if constexpr (has_vector_sort<T>) {
        if (part == count) return sort_line(line, count);
        if (part == 0) return;
        const Oddities<T> odd(line, count);
        const std::int64_t end = first + part, last = end - 1, places[] = {first, last};
        select(line, odd.numbers(), std::span(places, first == last ? 1 : 2));
        if (first < odd.numbers()) sort_numbers(line + first, std::min(end, odd.numbers()) - first);
        odd.put_back(first, end);
    } else {
        sort_line(line, count);
    }
}

template <class T>
void partition_line(T* line, std::int64_t count, std::span<const std::int64_t> places) {
    if constexpr (has_vector_sort<T>) {
        const Oddities<T> odd(line, count);
        select(line, odd.numbers(), places);
        odd.put_back();
    } else {
        sort_line(line, count);
    }
}

#define DTYPE(name, type, kind, code, text)                                   \
    template void sort_line(type*, std::int64_t);                             \
    template void sort_part(type*, std::int64_t, std::int64_t, std::int64_t); \
    template void partition_line(type*, std::int64_t, std::span<const std::int64_t>);
#include "fastnp/ops/dtype.def"

}  // namespace fastnp::eager
