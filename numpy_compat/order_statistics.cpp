// Medians and quantiles: of sorted lines, at places that depend on how long they are.
#include "fastnp/numpy_compat/order_statistics.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "at_hand.h"
#include "fastnp/detail/float_flags.h"
#include "fastnp/detail/layout.h"
#include "fastnp/detail/order.h"
#include "fastnp/detail/size.h"
#include "fastnp/detail/transform.h"
#include "fastnp/error.h"
#include "fastnp/numpy_compat/nan_statistics.h"
#include "selection.h"
#include "size.h"

namespace fastnp {

using compat::axis_of;
using compat::count_of;
using compat::Size;
using compat::size_of;

namespace {

// An array whose last axis stands for others, and which these were, in order.
struct Lines {
    array x;
    std::vector<int> axes;
    Size length;
    int kept() const { return x.ndim() - 1; }
};

Lines lines_of(const array& x, const Axes& axis) {
    std::vector<int> axes;
    if (axis.is_none()) {
        for (int i = 0; i < x.ndim(); ++i) axes.push_back(i);
        const array line = ravel(x);
        return {line, axes, size_of(line, 0)};
    }
    for (const std::int64_t each : axis.list()) axes.push_back(axis_of(x, static_cast<int>(each)));
    std::sort(axes.begin(), axes.end());
    if (std::adjacent_find(axes.begin(), axes.end()) != axes.end()) throw ValueError("repeated axis");
    if (axes.empty()) return {expand_dims(x, -1), axes, Size(1)};
    Shape order, shape;
    for (int i = 0; i < x.ndim(); ++i) {
        if (std::find(axes.begin(), axes.end(), i) != axes.end()) continue;
        order.push_back(i);
        shape.push_back(size_of(x, i).raw());
    }
    Size length = 1;
    for (const int each : axes) {
        order.push_back(each);
        length = length * size_of(x, each);
    }
    shape.push_back(length.raw());
    const array turned = transpose(x, order);
    return {axes.size() == 1 ? turned : reshape(turned, shape), axes, length};
}

// With axes of size 1 for those that are gone, behind the first ones.
array with_dims(array x, const std::vector<int>& axes, int first, bool keepdims) {
    for (std::size_t i = 0; keepdims && i < axes.size(); ++i) x = expand_dims(x, first + axes[i]);
    return x;
}

// An element for each line and each place, an integer of no other axes than the lines have, or axes before these.
array picked(const array& sorted, const array& places) {
    Shape kept;
    Size lines = 1;
    for (int i = 0; i + 1 < sorted.ndim(); ++i) {
        kept.push_back(size_of(sorted, i).raw());
        lines = lines * size_of(sorted, i);
    }
    const array starts = reshape(detail::size_range(0, lines.raw()), kept) * detail::size_value(size_of(sorted, -1).raw());
    return take(reshape(sorted, Shape{-1}), places + starts, std::nullopt, TakeMode::clip);
}

// Whether a device finds elements without sorting the lines.
bool is_found_alone(const Lines& lines, std::int64_t count) { return lines.x.device() != "cpu" && detail::finds_sorted_part(lines.x, count); }

// For lines that have a NaN, that: the one that is sorted last.
array or_nan(const array& x, const array& last) { return is_inexact(last.dtype()) ? where(isnan(last), last, x) : x; }

array middle_of(const Lines& lines) {
    if (lines.length == Size(0)) return mean(lines.x, {.axis = -1});
    const Size first = (lines.length - 1) / 2, end = lines.length / 2 + 1;
    if (is_found_alone(lines, 2)) {
        const array parts = mean(detail::sorted_part(lines.x, first.raw(), (end - first).raw()), {.axis = -1});
        return is_complex(lines.x.dtype()) ? or_nan(parts, detail::sorted_part(lines.x, (lines.length - 1).raw(), 1)(ellipsis, 0))
                                           : or_nan(parts, max(lines.x, {.axis = -1}));
    }
    const array sorted = compat::is_selectable(lines.x) ? compat::partly_sorted(lines.x, {array{first.now(), end.now() - 1}}, false) : sort(lines.x);
    return or_nan(mean(sorted(ellipsis, Slice{first.raw(), end.raw()}), {.axis = -1}), sorted(ellipsis, -1));
}

// Of how many elements a place is looked for: a number, or an array of a number for each line; and one less.
struct Count {
    Operand all, less;
};

Count count_of_line(Size length, Dtype dtype) {
    if (!detail::is_symbolic(length.raw())) return {Scalar(length.raw()), Scalar(length.raw() - 1)};
    const array all = detail::size_value(length.raw()).astype(dtype);
    return {all, all - 1};
}

// Where quantiles lie among sorted elements: at one place, or between two.
struct Places {
    array low, high;
    std::optional<array> part;  // of the way from low to high; nothing where both are one
};

Places at_one(const array& place) {
    const array whole = place.astype(Dtype::int64);
    return {whole, whole, std::nullopt};
}

// The whole number above, or the one below where the condition holds.
Places at_either(const array& place, const array& is_below) {
    const array below = floor(place);
    return at_one(maximum(where(is_below, below, below + 1), 0));
}

// Between the elements around a place, of which NumPy takes the last one where there is none behind it, and the first one where there is none before it.
Places around(const array& place, const Count& count, QuantileMethod method) {
    const array is_last = greater_equal(place, count.less), is_first = place < 0, lower = floor(place);
    const array below = where(is_last, -1, where(is_first, 0, lower));
    const array above = where(is_last, -1, where(is_first, 0, lower + 1));
    array part = place - below;
    if (method == QuantileMethod::averaged_inverted_cdf) part = where(part == 0, 0.5, 1.0).astype(place.dtype());
    if (method == QuantileMethod::midpoint) part = where(place % 1 == 0, 0.0, 0.5).astype(place.dtype());
    const auto index = [&](const array& each) { return where(is_last, count.less, each).astype(Dtype::int64); };
    return {index(below), index(above), part};
}

// By the two numbers that tell most definitions apart.
array virtual_place(const array& q, const Count& count, double alpha, double beta) {
    return multiply(count.all, q) + (alpha + q * (1 - alpha - beta)) - 1;
}

Places places_of(array q, const Count& count, QuantileMethod method) {
    using enum QuantileMethod;
    const bool is_whole = is_integer(q.dtype()), takes_whole = method == linear || method == lower || method == higher || method == nearest;
    if (is_whole && !takes_whole) q = q.astype(Dtype::float64);
    const auto place = [&] { return multiply(count.less, q); };
    switch (method) {
        case inverted_cdf: {
            const array at = multiply(count.all, q) - 1;
            return at_either(at, at == floor(at));
        }
        case closest_observation: {
            const array at = multiply(count.all, q) - 1 - 0.5, below = floor(at);
            return at_either(at, logical_and(at == below, below % 2 == 1));
        }
        case lower: return at_one(floor(place()));
        case higher: return at_one(ceil(place()));
        case nearest: return at_one(rint(place()));
        case linear: return is_whole ? at_one(place()) : around(place(), count, method);
        case averaged_inverted_cdf: return around(multiply(count.all, q) - 1, count, method);
        case midpoint: return around(0.5 * (floor(place()) + ceil(place())), count, method);
        case interpolated_inverted_cdf: return around(virtual_place(q, count, 0, 1), count, method);
        case hazen: return around(virtual_place(q, count, 0.5, 0.5), count, method);
        case weibull: return around(virtual_place(q, count, 0, 0), count, method);
        case median_unbiased: return around(virtual_place(q, count, 1 / 3.0, 1 / 3.0), count, method);
        case normal_unbiased: return around(virtual_place(q, count, 3 / 8.0, 3 / 8.0), count, method);
    }
    throw ValueError("there is no such method");
}

// Whether elements in order are further apart than their dtype reaches.
bool is_too_far(const array& difference) {
    return difference.ndim() == 0 && is_integer(difference.dtype()) && compat::is_at_hand(difference) && static_cast<bool>(difference < 0);
}

// Of elements with as many axes as `part`, or more behind these. A weak part takes their dtype.
array between(const array& low, const array& high, const array& part, bool is_weak) {
    const array difference = high - low;
    if (is_too_far(difference)) detail::raise_float_flags(detail::float_overflow);  // NumPy's scalars warn of it, its arrays do not
    array first = part, rest = 1 - part;
    if (is_weak) {
        const Dtype dtype = is_inexact(low.dtype()) ? low.dtype() : Dtype::float64;
        first = first.astype(dtype);
        rest = rest.astype(dtype);
    }
    return where(part >= 0.5, high - difference * rest, low + difference * first);
}

// With so many axes of size 1 behind the others.
array before_axes(array x, int count) {
    for (int i = 0; i < count; ++i) x = expand_dims(x, -1);
    return x;
}

// Lines that are sorted, as far as the places need it. (NaN is last.)
array sorted_for(const Lines& lines, const Places& places, bool is_by_line) {
    if (!compat::is_selectable(lines.x)) return sort(lines.x);
    return compat::partly_sorted(lines.x, {places.low.copy(), places.high.copy()}, is_by_line);
}

array quantile_of(const Lines& lines, const array& q, bool is_weak, QuantileMethod method) {
    const Places places = places_of(q, count_of_line(lines.length, q.dtype()), method);
    const array sorted = sorted_for(lines, places, false), ordered = moveaxis(sorted, -1, 0);
    const auto at = [&](const array& index) { return take(ordered, index, 0, TakeMode::clip); };
    const array low = at(places.low);
    const array result = places.part ? between(low, at(places.high), before_axes(*places.part, lines.kept()), is_weak) : low;
    const array last = sorted(ellipsis, -1);
    const bool gives_element = result.ndim() == 0 && result.dtype() != last.dtype() && is_inexact(last.dtype()) && !detail::is_mapped(lines.x);
    if (gives_element && static_cast<bool>(isnan(last))) return last;  // in its own dtype
    return or_nan(result, last);
}

// As NumPy makes it, one line after the other: what is first lies together.
array line_by_line(const array& x, int first) {
    if (first == 0 || first == x.ndim()) return x;
    Shape order, back;
    for (int i = 0; i < x.ndim(); ++i) {
        order.push_back((i + first) % x.ndim());
        back.push_back((i + x.ndim() - first) % x.ndim());
    }
    return transpose(transpose(x, order).copy(), back);
}

array nanquantile_of(const Lines& lines, const array& q, bool is_weak, QuantileMethod method) {
    const array count = sum(logical_not(isnan(lines.x)), {.axis = -1}), all = count.astype(q.dtype());
    const Places places = places_of(before_axes(q, lines.kept()), {all, all - 1}, method);
    const array sorted = sorted_for(lines, places, true);
    const array low = picked(sorted, places.low);
    const array result = places.part ? between(low, picked(sorted, places.high), *places.part, is_weak) : low;
    const array none = count == 0;
    return where(none, compat::nan_where(none, result.dtype()), result);
}

// q as an array of the parts below, which lie from 0 to 1. `most`: what it is in the words of the function.
array parts_of(const array& x, const Operand& q, int most) {
    if (is_complex(x.dtype())) throw TypeError("a must be an array of real numbers");
    const array given = q.as_array() != nullptr ? *q.as_array() : array(*q.as_scalar());
    const array parts = most == 1 ? given : given / most;
    const Scalar* const number = q.as_scalar();  // which takes no array to look at
    const bool is_within = number != nullptr ? number->real() >= 0 && number->real() <= most : static_cast<bool>(all(logical_and(parts >= 0, parts <= 1)));
    if (!is_within) {
        throw ValueError(most == 1 ? "Quantiles must be in the range [0, 1]" : "Percentiles must be in the range [0, 100]");
    }
    return parts;
}

array quantile_by(const array& x, const array& q, bool is_weak, const Axes& axis, QuantileMethod method, bool keepdims) {
    const Lines lines = lines_of(x, axis);
    if (lines.length == Size(0)) throw IndexError("cannot do a non-empty take from an empty axes.");
    return with_dims(quantile_of(lines, q, is_weak, method), lines.axes, q.ndim(), keepdims);
}

array nanquantile_by(const array& x, const array& q, bool is_weak, const Axes& axis, QuantileMethod method, bool keepdims) {
    if (count_of(x) == Size(0)) return nanmean(x, {.axis = axis, .keepdims = keepdims});
    const Lines lines = lines_of(x, axis);
    const array result = compat::may_have_nan(x) ? nanquantile_of(lines, q, is_weak, method) : quantile_of(lines, q, is_weak, method);
    return with_dims(line_by_line(result, q.ndim()), lines.axes, q.ndim(), keepdims);
}

array nanmiddle_of(const Lines& lines) {
    const array count = sum(logical_not(isnan(lines.x)), {.axis = -1});
    const array below = right_shift(count - 1, 1), above = right_shift(count, 1);
    const array sorted = sorted_for(lines, {below, above, std::nullopt}, true);
    const array low = picked(sorted, below), high = picked(sorted, above);
    const array none = count == 0;
    const array middle = where(below == above, low, mean(stack({low, high}), {.axis = 0}));
    return detail::laid_as_computed(where(none, compat::nan_where(none, middle.dtype()), middle), {lines.x}, Shape{lines.kept()});
}

}  // namespace

array median(const array& x, const Axes& axis, bool keepdims) {
    const Lines lines = lines_of(x, axis);
    return with_dims(middle_of(lines), lines.axes, 0, keepdims);
}

array nanmedian(const array& x, const Axes& axis, bool keepdims) {
    if (count_of(x) == Size(0)) return nanmean(x, {.axis = axis, .keepdims = keepdims});
    if (!compat::may_have_nan(x)) return median(x, axis, keepdims);
    const Lines lines = lines_of(compat::is_at_hand(x) ? x : detail::laid_like(x, x, Order::keep), axis);  // of a copy, which lays out axes that repeat
    return with_dims(nanmiddle_of(lines), lines.axes, 0, keepdims);
}

array quantile(const array& x, const Operand& q, const Axes& axis, QuantileMethod method, bool keepdims) {
    return quantile_by(x, parts_of(x, q, 1), q.as_scalar() != nullptr, axis, method, keepdims);
}

array percentile(const array& x, const Operand& q, const Axes& axis, QuantileMethod method, bool keepdims) {
    return quantile_by(x, parts_of(x, q, 100), q.as_scalar() != nullptr, axis, method, keepdims);
}

array nanquantile(const array& x, const Operand& q, const Axes& axis, QuantileMethod method, bool keepdims) {
    return nanquantile_by(x, parts_of(x, q, 1), q.as_scalar() != nullptr, axis, method, keepdims);
}

array nanpercentile(const array& x, const Operand& q, const Axes& axis, QuantileMethod method, bool keepdims) {
    return nanquantile_by(x, parts_of(x, q, 100), q.as_scalar() != nullptr, axis, method, keepdims);
}

}  // namespace fastnp
