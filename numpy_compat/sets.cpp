// Arrays as sets of their elements, and orders by several keys.
#include "fastnp/numpy_compat/sets.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "at_hand.h"
#include "fastnp/detail/layout.h"
#include "operands.h"
#include "size.h"

namespace fastnp {

using compat::axis_of;
using compat::is_at_hand;
using compat::over_it;
using compat::Size;
using compat::size_of;

namespace {

array line_of(const array& x) { return reshape(x, {-1}); }

bool is_whole(const array& x) { return is_integer(x.dtype()) || x.dtype() == bool_; }

// Elements as int64, which wraps around.
array numbers_of(const array& x) { return x.dtype() == int64 ? x : x.astype(int64); }

// The least and the largest of the others, where a table of all numbers between them takes little memory.
std::optional<std::pair<std::int64_t, std::int64_t>> table_of(const array& x, const array& others) {
    if (!is_at_hand(x) || !is_at_hand(others) || !is_whole(x) || !is_whole(others) || others.size() == 0) return std::nullopt;
    const array numbers = numbers_of(others);
    const auto least = min(numbers).item<std::int64_t>(), largest = max(numbers).item<std::int64_t>();
    const bool wraps_around = (x.dtype() == uint64 || others.dtype() == uint64) && least < 0;
    const auto range = static_cast<std::uint64_t>(largest) - static_cast<std::uint64_t>(least);
    if (wraps_around || least == std::numeric_limits<std::int64_t>::min() || range > static_cast<std::uint64_t>(6 * (x.size() + others.size()))) {
        return std::nullopt;
    }
    return std::pair(least, largest);
}

array found_in_table(const array& x, const array& others, std::int64_t least, std::int64_t largest) {
    const array table = zeros({largest - least + 3}, bool_);  // the first and the last one stand for all other numbers
    set_at(table, {numbers_of(others) - (least - 1)}, true);
    return take(table, numbers_of(x) - (least - 1), 0, TakeMode::clip);
}

bool are_few(const array& x, const array& others) {
    return is_at_hand(x) && is_at_hand(others) && static_cast<double>(others.size()) < 10 * std::pow(static_cast<double>(x.size()), 0.145);
}

array found_one_by_one(const array& x, const array& others) {
    array found = equal(x, others(0)).copy();
    for (std::int64_t i = 1; i < others.size(); ++i) found = logical_or(found, equal(x, others(i)), over_it(found));
    return found;
}

// Of uint64 and signed integers: as the others' dtype, for numbers that it has.
array isin_of_mixed(const array& x, const array& others, bool invert) {
    const array has = others.dtype() == uint64 ? x >= 0 : x <= std::numeric_limits<std::int64_t>::max();
    const array found = isin(where(has, x, 0).astype(others.dtype() == uint64 ? uint64 : int64), others, invert);
    return invert ? found | ~has : found & has;
}

}  // namespace

array isin(const array& x, const array& others, bool invert) {
    const array line = line_of(others);
    if (size_of(line, 0) == 0) return full_like(x, invert, bool_).copy();
    if (const auto table = table_of(x, line)) {
        const array found = found_in_table(x, line, table->first, table->second);
        return invert ? ~found : found;
    }
    if (are_few(x, line)) return invert ? ~found_one_by_one(x, line) : found_one_by_one(x, line);
    const Dtype dtype = promote_types(x.dtype(), line.dtype());
    if (is_whole(x) && is_whole(line) && is_floating(dtype)) return isin_of_mixed(x, line, invert);
    const array sorted = sort(line.dtype() == dtype ? line : line.astype(dtype)), values = x.dtype() == dtype ? x : x.astype(dtype);
    const array nearest = take(sorted, searchsorted(sorted, values), 0, TakeMode::clip);
    return invert ? not_equal(nearest, values) : equal(nearest, values);
}

array union1d(const array& a, const array& b) { return unique(concatenate({line_of(a), line_of(b)})); }

namespace {

array both(const array& a, const array& b) { return concatenate({a, b}); }
// Whether each element but the last equals the next one.
array equals_next(const array& sorted) { return sorted(from(1)) == sorted(until(-1)); }

}  // namespace

array intersect1d(const array& a, const array& b, bool assume_unique) {
    const array sorted = sort(assume_unique ? both(line_of(a), line_of(b)) : both(unique(a), unique(b)));
    return get_masked(sorted(until(-1)), equals_next(sorted));
}

Intersection intersect1d_indices(const array& a, const array& b, bool assume_unique) {
    array x = line_of(a), y = line_of(b), of_x, of_y;
    if (!assume_unique) {
        const Unique first = unique_all(x), second = unique_all(y);
        x = first.values, y = second.values, of_x = first.indices, of_y = second.indices;
    }
    const array together = both(x, y), order = argsort(together, -1, true), sorted = take(together, order, 0);
    const array mask = equals_next(sorted);
    array places = get_masked(order(until(-1)), mask), others = get_masked(order(from(1)), mask) - detail::size_value(size_of(x, 0).raw());
    if (!assume_unique) places = take(of_x, places, 0), others = take(of_y, others, 0);
    return {get_masked(sorted(until(-1)), mask), places, others};
}

array setdiff1d(const array& a, const array& b, bool assume_unique) {
    const array x = assume_unique ? line_of(a) : unique(a);
    return get_masked(x, isin(x, b, true));
}

array setxor1d(const array& a, const array& b, bool assume_unique) {
    const array sorted = sort(assume_unique ? both(line_of(a), line_of(b)) : both(unique(a), unique(b)));
    if (size_of(sorted, 0) == 0) return sorted;
    const array differs = sorted(from(1)) != sorted(until(-1)), end = ones({1}, bool_);
    return get_masked(sorted, concatenate({end, differs}) & concatenate({differs, end}));
}

namespace {

// Elements along the last axis, in the order of places that are known to be there.
array picked(const array& x, const array& places) {
    if (x.ndim() == 1) return take(x, places, 0, TakeMode::clip);
    std::vector<array> indices;
    for (int i = 0; i + 1 < x.ndim(); ++i) {
        array row = detail::size_range(0, size_of(x, i).raw());
        for (int j = i + 1; j < x.ndim(); ++j) row = expand_dims(row, -1);
        indices.push_back(row);
    }
    indices.push_back(places);
    return pick(x, indices);
}

}  // namespace

array lexsort(const std::vector<array>& keys, int axis) {
    if (keys.empty()) throw TypeError("need sequence of keys with len > 0 in lexsort");
    for (const array& key : keys) {
        bool is_like = key.ndim() == keys[0].ndim();
        for (int i = 0; is_like && i < key.ndim(); ++i) is_like = size_of(key, i) == size_of(keys[0], i);
        if (!is_like) throw ValueError("all keys need to be the same shape");
    }
    const int at = axis_of(keys[0], axis);
    array order = argsort(moveaxis(keys[0], at, -1), -1, true);
    for (std::size_t i = 1; i < keys.size(); ++i) order = picked(order, argsort(picked(moveaxis(keys[i], at, -1), order), -1, true));
    return detail::laid_like(moveaxis(order, -1, at), order, Order::c);
}

}  // namespace fastnp
