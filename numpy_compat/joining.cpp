// Arrays joined, and elements put in and left out.
#include "fastnp/numpy_compat/joining.h"

#include <algorithm>
#include <string>

#include "fastnp/detail/layout.h"
#include "fastnp/detail/size.h"
#include "fastnp/error.h"
#include "fastnp/numpy_compat/moving.h"
#include "size.h"

namespace fastnp {

using compat::along;
using compat::axis_of;
using compat::line_of;
using compat::Size;
using compat::size_of;

namespace {

// Along which axis, and of what.
struct Line {
    array x;
    int axis;
};

Line line_along(const array& x, std::optional<int> axis) {
    if (axis) return {x, axis_of(x, *axis)};
    return {line_of(x), 0};
}

[[noreturn]] void throw_outside(Size place, int axis, Size length) {
    throw IndexError("index " + std::to_string(place.now()) + " is out of bounds for axis " + std::to_string(axis) + " with size " +
                     std::to_string(length.now()));
}

// In the order that numpy.insert and numpy.delete have: F for what lies so, else C.
array joined(const std::vector<array>& parts, const Line& line) { return detail::laid_like(concatenate(parts, line.axis), line.x, Order::any); }

array in_dtype(const array& values, Dtype dtype) { return values.dtype() == dtype ? values : values.astype(dtype); }

array with_axes(array values, int rank) {
    while (values.ndim() < rank) values = expand_dims(values, 0);
    return values;
}

array spread(const array& values, const Line& line, Size count) {
    Shape shape = detail::symbolic_shape(line.x);
    shape[static_cast<std::size_t>(line.axis)] = count.raw();
    return broadcast_to(values, shape);
}

array inserted_at(const Line& line, Size place, const array& values) {
    const Size length = size_of(line.x, line.axis);
    if (!(place + length >= 0) || !(length >= place)) throw_outside(place, line.axis, length);
    const Size cut = place < 0 ? place + length : place;
    const array given = spread(values, line, size_of(values, line.axis));
    return joined({along(line.x, line.axis, until(cut.raw())), given, along(line.x, line.axis, from(cut.raw()))}, line);
}

array deleted_at(const Line& line, Size place) {
    const Size length = size_of(line.x, line.axis);
    if (!(place + length >= 0) || !(length > place)) throw_outside(place, line.axis, length);
    const Size cut = place < 0 ? place + length : place;
    return joined({along(line.x, line.axis, until(cut.raw())), along(line.x, line.axis, from((cut + 1).raw()))}, line);
}

// Of a vector, whatever its length, what lies between a few places that are counted from the front.
std::optional<array> parts_between(const Line& line, std::vector<std::int64_t> places) {
    constexpr std::size_t few = 8;
    if (line.x.ndim() != 1 || places.empty() || places.size() > few) return std::nullopt;
    std::ranges::sort(places);
    if (places.front() < 0 || !(size_of(line.x, 0) > places.back())) return std::nullopt;
    std::vector<array> parts;
    std::int64_t next = 0;
    for (const std::int64_t place : places) {
        if (place > next) parts.push_back(line.x(range(next, place)));
        next = place + 1;
    }
    parts.push_back(line.x(from(next)));
    return concatenate(parts);
}

// What does not go.
array kept(const Line& line, const std::vector<bool>& goes) {
    std::vector<std::int64_t> places;
    for (std::size_t i = 0; i < goes.size(); ++i) {
        if (!goes[i]) places.push_back(static_cast<std::int64_t>(i));
    }
    return detail::picked_along(line.x, array(places), line.axis);
}

}  // namespace

array append(const array& x, const array& values, std::optional<int> axis) {
    if (!axis) return concatenate({line_of(x), line_of(values)});
    return concatenate({x, values}, *axis);
}

array insert(const array& x, std::int64_t place, const array& values, std::optional<int> axis) {
    const Line line = line_along(x, axis);
    const array given = with_axes(in_dtype(values, x.dtype()), line.x.ndim());
    return inserted_at(line, place, moveaxis(given, 0, line.axis));
}

array insert(const array& x, const array& places, const array& values, std::optional<int> axis) {
    const Line line = line_along(x, axis);
    if (places.dtype() == Dtype::bool_) return insert(x, flatnonzero(places), values, axis);
    if (places.ndim() > 1) throw ValueError("index array argument obj to insert must be one dimensional or scalar");
    if (!is_integer(places.dtype())) throw IndexError("arrays used as indices must be of integer (or boolean) type");
    if (places.ndim() == 0) {
        if (const auto place = detail::size_from(places)) return insert(x, *place, values, axis);
    }
    const Size count = size_of(places, 0), length = size_of(line.x, line.axis);
    if (count == 1) {
        if (const auto place = detail::size_from(reshape(places, {}))) {
            return inserted_at(line, *place, with_axes(in_dtype(values, x.dtype()), line.x.ndim()));
        }
    }
    const array given = spread(in_dtype(values, x.dtype()), line, count);
    // Where each value comes to lie: behind those that are put in before it, in the order of their places.
    const array number = detail::size_range(0, count.raw());
    const array before = where(places < 0, places + detail::size_value(length.raw()), places).astype(Dtype::int64);
    const array order = argsort(before, -1, true);
    const array target = take(before, order, 0, TakeMode::clip) + number;
    array is_new = zeros({(length + count).raw()}, Dtype::int64);
    set_at(is_new, {target}, 1);
    // Of the values, followed by x: which of them each place is of.
    array source = detail::size_range(0, (length + count).raw()) - cumsum(is_new) + detail::size_value(count.raw());
    set_at(source, {target}, order);
    const array made = take(concatenate({given, line.x}, line.axis), source, line.axis, TakeMode::clip);
    return detail::laid_like(made, line.x, Order::any);
}

array delete_at(const array& x, std::int64_t place, std::optional<int> axis) { return deleted_at(line_along(x, axis), place); }

array delete_at(const array& x, const Slice& places, std::optional<int> axis) {
    const Line line = line_along(x, axis);
    const Size length = size_of(line.x, line.axis);
    if (places.step == 1) {
        const auto bound = [length](const std::optional<std::int64_t>& given, Size standard) {
            if (!given) return standard;
            if (Size(*given) < 0) return Size(*given) + length >= 0 ? Size(*given) + length : Size(0);
            return length >= *given ? Size(*given) : length;
        };
        const Size start = bound(places.start, 0), stop = bound(places.stop, length);
        if (start >= stop) return line.x.copy(Order::any);
        return joined({along(line.x, line.axis, until(start.raw())), along(line.x, line.axis, from(stop.raw()))}, line);
    }
    const std::int64_t count = length.now(), step = places.step, low = step < 0 ? -1 : 0, high = step < 0 ? count - 1 : count;
    const auto bound = [&](const std::optional<std::int64_t>& given, std::int64_t standard) {
        return given ? *given < 0 ? std::max(*given + count, low) : std::min(*given, high) : standard;
    };
    const std::int64_t start = bound(places.start, step < 0 ? high : low), stop = bound(places.stop, step < 0 ? low : high);
    std::int64_t first = start, times = step < 0 ? (start - stop - step - 1) / -step : (stop - start + step - 1) / step;
    if (times <= 0) return line.x.copy(Order::any);
    const std::int64_t apart = std::abs(step);
    if (step < 0) first = start + (times - 1) * step;
    // Before the first that goes, between them, and behind the last one.
    std::vector<array> parts{along(line.x, line.axis, until(first))};
    const std::int64_t last = first + (times - 1) * apart;
    if (times > 1) {
        const array middle = along(line.x, line.axis, range(first, last));
        Shape apart_shape = detail::symbolic_shape(middle), shape = apart_shape;
        apart_shape[static_cast<std::size_t>(line.axis)] = times - 1;
        apart_shape.insert(apart_shape.begin() + line.axis + 1, apart);
        shape[static_cast<std::size_t>(line.axis)] = (times - 1) * (apart - 1);
        parts.push_back(reshape(along(reshape(middle, apart_shape), line.axis + 1, from(1)), shape));
    }
    parts.push_back(along(line.x, line.axis, from(last + 1)));
    return joined(parts, line);
}

array delete_at(const array& x, const std::vector<std::int64_t>& places, std::optional<int> axis) {
    const Line line = line_along(x, axis);
    if (places.size() == 1) return deleted_at(line, places[0]);
    if (auto made = parts_between(line, places)) return std::move(*made);
    const std::int64_t count = size_of(line.x, line.axis).now();
    std::vector<bool> goes(static_cast<std::size_t>(count), false);
    for (const std::int64_t place : places) {
        if (place < -count || place >= count) throw_outside(place, 0, count);
        goes[static_cast<std::size_t>(place < 0 ? place + count : place)] = true;
    }
    return kept(line, goes);
}

array delete_at(const array& x, const array& places, std::optional<int> axis) {
    const Line line = line_along(x, axis);
    const Size length = size_of(line.x, line.axis);
    if (places.dtype() == Dtype::bool_) {
        if (places.ndim() != 1 || !(size_of(places, 0) == length)) {
            throw ValueError("boolean array argument obj to delete must be one dimensional and match the axis length of " + std::to_string(length.now()));
        }
        return detail::masked_along(line.x, logical_not(places), line.axis);
    }
    if (!is_integer(places.dtype())) throw IndexError("arrays used as indices must be of integer (or boolean) type");
    if (compat::count_of(places) == 1) {
        if (const auto place = detail::size_from(reshape(places, {}))) return deleted_at(line, *place);
    }
    array keeps = ones({length.raw()}, Dtype::bool_);
    set_at(keeps, {places}, false);
    return detail::masked_along(line.x, keeps, line.axis);
}

array dstack(const std::vector<array>& arrays) {
    std::vector<array> deep;
    for (const array& each : arrays) deep.push_back(atleast_3d(each));
    return concatenate(deep, 2);
}

namespace {

// The arrays of blocks, and how deep they lie.
int collect(const Blocks& blocks, std::vector<array>& leaves) {
    if (const array* leaf = blocks.as_array()) {
        leaves.push_back(*leaf);
        return 0;
    }
    if (blocks.list().empty()) throw ValueError("List at arrays cannot be empty");
    int depth = -1;
    for (const Blocks& each : blocks.list()) {
        const int below = collect(each, leaves);
        if (depth >= 0 && below != depth) throw ValueError("List depths are mismatched.");
        depth = below;
    }
    return depth + 1;
}

array joined_along(const Blocks& blocks, int axis, int rank) {
    if (const array* leaf = blocks.as_array()) return with_axes(*leaf, rank);
    std::vector<array> parts;
    for (const Blocks& each : blocks.list()) parts.push_back(joined_along(each, axis + 1, rank));
    return concatenate(parts, axis);
}

// Writes blocks to where they come to lie in `whole`, from a corner on, and tells how far they go along each axis.
Shape write_blocks(const Blocks& blocks, int axis, const array& whole, const Shape& corner) {
    if (const array* leaf = blocks.as_array()) {
        const array x = with_axes(*leaf, whole.ndim());
        std::vector<Index> place;
        for (int i = 0; i < whole.ndim(); ++i) {
            const std::int64_t start = corner[static_cast<std::size_t>(i)];
            place.emplace_back(range(start, start + x.shape(i)));
        }
        whole.index(place) = x;
        return x.shape();
    }
    Shape next = corner, sizes;
    std::int64_t length = 0;
    for (const Blocks& each : blocks.list()) {
        sizes = write_blocks(each, axis + 1, whole, next);
        next[static_cast<std::size_t>(axis)] += sizes[static_cast<std::size_t>(axis)];
        length += sizes[static_cast<std::size_t>(axis)];
    }
    sizes[static_cast<std::size_t>(axis)] = length;
    return sizes;
}

// The shape of all; ValueError where the blocks do not fit.
Shape shape_of(const Blocks& blocks, int axis, int rank) {
    if (const array* leaf = blocks.as_array()) return with_axes(*leaf, rank).shape();
    Shape whole;
    for (const Blocks& each : blocks.list()) {
        Shape part = shape_of(each, axis + 1, rank);
        if (whole.empty()) {
            whole = part;
            continue;
        }
        for (int i = 0; i < rank; ++i) {
            if (i != axis && part[static_cast<std::size_t>(i)] != whole[static_cast<std::size_t>(i)]) {
                throw ValueError("Mismatched array shapes in block along axis " + std::to_string(axis) + ".");
            }
        }
        whole[static_cast<std::size_t>(axis)] += part[static_cast<std::size_t>(axis)];
    }
    return whole;
}

// As numpy.block has it where that is much.
Order order_of(const std::vector<array>& leaves, int rank) {
    bool is_fortran = true, is_plain = true;
    for (const array& leaf : leaves) {
        const array x = with_axes(leaf, rank);
        is_fortran = is_fortran && x.is_f_contiguous();
        is_plain = is_plain && x.is_c_contiguous();
    }
    return is_fortran && !is_plain ? Order::f : Order::c;
}

// Each element is moved once.
array written_blocks(const Blocks& blocks, int depth, int rank, const std::vector<array>& leaves) {
    std::vector<Dtype> dtypes;
    for (const array& leaf : leaves) dtypes.push_back(leaf.dtype());
    Shape shape = shape_of(blocks, rank - depth, rank);
    const bool turns = order_of(leaves, rank) == Order::f;
    if (turns) std::reverse(shape.begin(), shape.end());
    array whole = empty(shape, result_type(dtypes));
    if (turns) whole = transpose(whole);
    write_blocks(blocks, rank - depth, whole, Shape(static_cast<std::size_t>(rank), 0));
    return whole;
}

}  // namespace

array block(const Blocks& blocks) {
    std::vector<array> leaves;
    const int depth = collect(blocks, leaves);
    int rank = depth;
    bool is_recorded = false;
    Size count = 0;
    for (const array& leaf : leaves) {
        rank = std::max(rank, leaf.ndim());
        is_recorded = is_recorded || compat::is_recorded(leaf);
        count = count + compat::count_of(leaf);
    }
    constexpr std::int64_t much = 2 * 512 * 512;
    const bool is_much = depth > 0 && Size(depth) * count > much;
    if (is_much && !is_recorded) return written_blocks(blocks, depth, rank, leaves);
    const array whole = joined_along(blocks, rank - depth, rank);
    if (is_much) return whole.copy(order_of(leaves, rank));
    return depth == 0 ? whole.copy() : whole;
}

}  // namespace fastnp
