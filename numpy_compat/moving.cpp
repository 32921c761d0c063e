// Elements at other places, and more than once.
#include "fastnp/numpy_compat/moving.h"

#include <algorithm>
#include <string>

#include "fastnp/detail/layout.h"
#include "fastnp/detail/size.h"
#include "fastnp/error.h"
#include "size.h"

namespace fastnp {

using compat::along;
using compat::axis_of;
using compat::count_of;
using compat::line_of;
using compat::Size;
using compat::size_of;

namespace {

// How far elements go forward, from 0 to the length of the axis.
Size forward(Size shift, Size length) {
    if (shift >= 0 && length >= shift) return shift;
    if (shift < 0 && shift + length >= 0) return shift + length;
    const std::int64_t count = length.now(), by = shift.now();
    return count == 0 ? 0 : ((by % count) + count) % count;
}

array rolled(const array& x, int axis, Size by) {
    const std::int64_t cut = (size_of(x, axis) - by).raw();
    return concatenate({along(x, axis, from(cut)), along(x, axis, until(cut))}, axis);
}

// Each of the parts that elements stay together in is written to its place: one pass over the memory, whatever the number of axes.
array rolled_at_once(const array& x, const std::vector<int>& axes, const std::vector<Size>& by) {
    array made = empty_like(x);
    for (std::size_t part = 0; part < std::size_t{1} << axes.size(); ++part) {
        std::vector<Index> source(static_cast<std::size_t>(x.ndim()), Slice{}), target = source;
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const auto axis = static_cast<std::size_t>(axes[i]);
            const std::int64_t cut = (size_of(x, axes[i]) - by[i]).raw();
            const bool leaves = (part >> i & 1) != 0;
            source[axis] = leaves ? from(cut) : until(cut);
            target[axis] = leaves ? until(by[i].raw()) : from(by[i].raw());
        }
        made.index(target) = x.index(source);
    }
    return made;
}

}  // namespace

array roll(const array& x, const std::vector<std::int64_t>& shifts, const Axes& axis) {
    if (axis.is_none()) {
        const array line = line_of(x);
        Size by = 0;
        for (const std::int64_t each : shifts) by = by + each;
        return reshape(rolled(line, 0, forward(by, size_of(line, 0))), detail::symbolic_shape(x));
    }
    const std::span<const std::int64_t> places = axis.list();
    if (shifts.size() != places.size() && shifts.size() != 1 && places.size() != 1) {
        throw ValueError("shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between arg 0 with shape (" +
                         std::to_string(shifts.size()) + ",) and arg 1 with shape (" + std::to_string(places.size()) + ",).");
    }
    std::vector<Size> sums(static_cast<std::size_t>(x.ndim()), 0);
    for (std::size_t i = 0; i < std::max(shifts.size(), places.size()) && !shifts.empty() && !places.empty(); ++i) {
        const int place = axis_of(x, static_cast<int>(places[places.size() == 1 ? 0 : i]));
        sums[static_cast<std::size_t>(place)] = sums[static_cast<std::size_t>(place)] + shifts[shifts.size() == 1 ? 0 : i];
    }
    std::vector<int> axes;
    std::vector<Size> by;
    for (int i = 0; i < x.ndim(); ++i) {
        if (sums[static_cast<std::size_t>(i)] == 0) continue;
        axes.push_back(i);
        by.push_back(forward(sums[static_cast<std::size_t>(i)], size_of(x, i)));
    }
    if (axes.empty()) return x.copy(Order::keep);
    if (axes.size() > 1 && !compat::is_recorded(x)) return rolled_at_once(x, axes, by);
    array made = x;
    for (std::size_t i = 0; i < axes.size(); ++i) made = rolled(made, axes[i], by[i]);
    return detail::laid_like(made, x);
}

array rot90(const array& x, int k, int first, int second) {
    const int rank = x.ndim();
    if (first == second || std::abs(first - second) == rank) throw ValueError("Axes must be different.");
    if (first >= rank || first < -rank || second >= rank || second < -rank) {
        throw ValueError("Axes=(" + std::to_string(first) + ", " + std::to_string(second) + ") out of range for array of ndim=" + std::to_string(rank) +
                         ".");
    }
    switch (((k % 4) + 4) % 4) {
        case 0: return x.index({ellipsis});
        case 1: return swapaxes(flip(x, second), first, second);
        case 2: return flip(x, {first, second});
        default: return flip(swapaxes(x, first, second), second);
    }
}

array rollaxis(const array& x, int axis, int start) {
    const int rank = x.ndim(), place = axis_of(x, axis);
    int before = start < 0 ? start + rank : start;
    if (before < 0 || before > rank) {
        throw AxisError("'start' arg requires " + std::to_string(-rank) + " <= start < " + std::to_string(rank + 1) + ", but " + std::to_string(before) +
                        " was passed in");
    }
    if (place < before) --before;
    return place == before ? x.index({ellipsis}) : moveaxis(x, place, before);
}

array repeat(const array& x, std::int64_t repeats, std::optional<int> axis) {
    if (!axis || x.ndim() == 0) return repeat(line_of(x), repeats, axis.value_or(0));
    const int at = axis_of(x, *axis);
    if (Size(repeats) < 0) throw ValueError("negative dimensions are not allowed");
    Shape wide = detail::symbolic_shape(x), shape = wide;
    wide.insert(wide.begin() + at + 1, repeats);
    shape[static_cast<std::size_t>(at)] = (size_of(x, at) * repeats).raw();
    return compat::own(reshape(broadcast_to(expand_dims(x, at + 1), wide), shape), x);
}

array repeat(const array& x, const array& repeats, std::optional<int> axis) {
    if (!axis || x.ndim() == 0) return repeat(line_of(x), repeats, axis.value_or(0));
    const int at = axis_of(x, *axis);
    if (!can_cast(repeats.dtype(), Dtype::int64)) {
        throw TypeError("Cannot cast array data from dtype('" + std::string(name_of(repeats.dtype())) +
                        "') to dtype('int64') according to the rule 'safe'");
    }
    if (repeats.ndim() > 1) throw ValueError("object too deep for desired array");
    const Size length = size_of(x, at);
    const array counts = line_of(repeats).astype(Dtype::int64);
    if (static_cast<bool>(any(counts < 0))) throw ValueError("repeats may not contain negative values.");
    if (size_of(counts, 0) == 1) {
        if (const auto number = detail::size_from(reshape(counts, {}))) return repeat(x, *number, at);
    }
    if (!(size_of(counts, 0) == length)) {
        throw ValueError("operands could not be broadcast together with shape (" + std::to_string(length.now()) + ",) (" +
                         std::to_string(size_of(counts, 0).now()) + ",)");
    }
    // The place that an element of the result comes from is the number of those that end before it.
    const std::optional<std::int64_t> total = detail::size_from(sum(counts));
    if (!total) throw ValueError("array is too big");
    return take(x, searchsorted(cumsum(counts), detail::size_range(0, *total), Side::right), at, TakeMode::clip);
}

array tile(const array& x, const Shape& repeats) {
    const int count = static_cast<int>(repeats.size()), rank = std::max(x.ndim(), count);
    array whole = x;
    for (int i = x.ndim(); i < rank; ++i) whole = expand_dims(whole, 0);
    const Shape given = detail::symbolic_shape(whole);
    Shape apart, wide, shape;
    bool is_once = true, is_empty = false;
    for (int i = 0; i < rank; ++i) {
        const Size size = given[static_cast<std::size_t>(i)], times = i < rank - count ? 1 : repeats[static_cast<std::size_t>(i - (rank - count))];
        if (times < 0) throw ValueError("negative dimensions are not allowed");
        is_once = is_once && times == 1;
        is_empty = is_empty || size == 0;
        for (const std::int64_t each : {std::int64_t{1}, size.raw()}) apart.push_back(each);
        for (const std::int64_t each : {times.raw(), size.raw()}) wide.push_back(each);
        shape.push_back((size * times).raw());
    }
    if (is_once) return whole.copy(Order::keep);
    if (is_empty) return reshape(whole, shape);
    return compat::own(reshape(broadcast_to(reshape(whole, apart), wide), shape), x);
}

array resize(const array& x, const Shape& shape) {
    Size count = 1;
    for (const std::int64_t size : shape) {
        if (Size(size) < 0) throw ValueError("all elements of `new_shape` must be non-negative");
        count = count * size;
    }
    const array line = line_of(x);
    const Size length = size_of(line, 0);
    if (length == 0 || count == 0) return zeros(shape, x.dtype());
    if (length >= count) return reshape(line(until(count.raw())).copy(), shape);
    if (detail::is_symbolic(length.raw()) || detail::is_symbolic(count.raw())) {  // so many times are no number
        const array places = remainder(detail::size_range(0, count.raw()), detail::size_value(length.raw()));
        return reshape(take(line, places, 0, TakeMode::clip), shape);
    }
    const array whole = broadcast_to(line, {((count + length - 1) / length).raw(), length.raw()});
    return reshape(compat::own(line_of(whole), x)(until(count.raw())), shape);
}

array atleast_3d(const array& x) {
    switch (x.ndim()) {
        case 0: return reshape(x, {1, 1, 1});
        case 1: return x(newaxis, all, newaxis);
        case 2: return x(all, all, newaxis);
        default: return x;
    }
}

std::vector<array> unstack(const array& x, int axis) {
    if (x.ndim() == 0) throw ValueError("Input array must be at least 1-d.");
    const array seen = moveaxis(x, axis, 0);
    std::vector<array> parts;
    for (std::int64_t i = 0, count = size_of(seen, 0).now(); i < count; ++i) parts.push_back(seen(i));
    return parts;
}

}  // namespace fastnp
