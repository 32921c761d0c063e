// Borders around arrays.
#include "fastnp/numpy_compat/padding.h"

#include <algorithm>
#include <string>

#include "fastnp/detail/layout.h"
#include "fastnp/detail/size.h"
#include "fastnp/error.h"
#include "fastnp/numpy_compat/making.h"
#include "size.h"

namespace fastnp {

using compat::along;
using compat::Size;
using compat::size_of;

namespace {

Size smaller(Size a, Size b) { return a >= b ? b : a; }

// Of pairs for all axes, or one for each.
template <class T>
const T& of_axis(const std::vector<T>& pairs, int axis, int rank) {
    if (pairs.size() != 1 && pairs.size() != static_cast<std::size_t>(rank)) {
        throw ValueError("operands could not be broadcast together with remapped shapes [original->remapped]: (" + std::to_string(pairs.size()) +
                         ",2)  and requested shape (" + std::to_string(rank) + ",2)");
    }
    return pairs[pairs.size() == 1 ? 0 : static_cast<std::size_t>(axis)];
}

struct Widths {
    Size before, after;
};

// An array that grows, axis by axis. Concrete ones have their memory from the start, and are written to; recorded ones are joined with their borders.
class Growing {
public:
    Growing(const array& x, std::vector<Widths> widths) : given_(x), whole_(x), missing_(std::move(widths)), is_recorded_(compat::is_recorded(x)) {
        if (is_recorded_) return;
        Shape shape;
        for (int i = 0; i < x.ndim(); ++i) shape.push_back((missing(i).before + size_of(x, i) + missing(i).after).raw());
        const bool turns = x.is_f_contiguous() && !x.is_c_contiguous();
        if (turns) std::reverse(shape.begin(), shape.end());
        whole_ = fastnp::empty(shape, x.dtype());
        if (turns) whole_ = transpose(whole_);
        whole_.index(inside()) = x;
    }

    const Widths& missing(int axis) const { return missing_[static_cast<std::size_t>(axis)]; }
    // What has elements already: whole axes up to this one, and of those behind it what was given.
    array valid() const { return is_recorded_ ? whole_ : whole_.index(inside()); }

    // Puts so many elements at both ends; what there is of them is broadcast.
    void grow(int axis, const array& first, Size before, const array& last, Size after) {
        Widths& rest = missing_[static_cast<std::size_t>(axis)];
        if (is_recorded_) {
            whole_ = concatenate({border(first, axis, before), whole_, border(last, axis, after)}, axis);
        } else {
            write(axis, first, rest.before - before, rest.before);
            const Size end = size_of(whole_, axis) - rest.after;
            write(axis, last, end, end + after);
        }
        rest = {rest.before - before, rest.after - after};
    }
    void grow(int axis, const array& first, const array& last) { grow(axis, first, missing(axis).before, last, missing(axis).after); }

    array result() const { return is_recorded_ ? detail::laid_like(whole_, given_, Order::any) : whole_; }

private:
    std::vector<Index> inside() const {
        std::vector<Index> place;
        for (int i = 0; i < whole_.ndim(); ++i) {
            place.emplace_back(range(missing(i).before.raw(), (size_of(whole_, i) - missing(i).after).raw()));
        }
        return place;
    }
    void write(int axis, const array& x, Size start, Size stop) const {
        std::vector<Index> place = inside();
        place[static_cast<std::size_t>(axis)] = range(start.raw(), stop.raw());
        whole_.index(place) = x;
    }
    array border(const array& x, int axis, Size count) const {
        Shape shape = detail::symbolic_shape(whole_);
        shape[static_cast<std::size_t>(axis)] = count.raw();
        return broadcast_to(x.dtype() == whole_.dtype() ? x : x.astype(whole_.dtype()), shape);
    }

    array given_, whole_;
    std::vector<Widths> missing_;
    bool is_recorded_;
};

array part(const array& x, int axis, Size start, Size stop) { return along(x, axis, range(start.raw(), stop.raw())); }
array first_of(const array& x, int axis) { return part(x, axis, 0, 1); }
array last_of(const array& x, int axis) { return part(x, axis, size_of(x, axis) - 1, size_of(x, axis)); }
array mirrored(const array& x, int axis) { return along(x, axis, every(-1)); }

array value_of(const Operand& value) { return value.as_scalar() != nullptr ? array(*value.as_scalar()) : *value.as_array(); }

void grow_ramps(Growing& growing, int axis, const std::pair<Operand, Operand>& ends) {
    const array valid = growing.valid();
    const auto ramp = [&](const Operand& end, const array& edge, Size width) {
        return linspace_with_step(end, squeeze(edge, axis), width.raw(), false, valid.dtype(), axis).values;
    };
    const Widths widths = growing.missing(axis);
    growing.grow(axis, ramp(ends.first, first_of(valid, axis), widths.before), mirrored(ramp(ends.second, last_of(valid, axis), widths.after), axis));
}

// As numpy.median along an axis.
array median_along(const array& x, int axis) {
    const array ordered = sort(x, axis);
    const Size length = size_of(x, axis);
    if (length == 0) return mean(x, {.axis = axis, .keepdims = true});
    const array middle = mean(part(ordered, axis, (length - 1) / 2, length / 2 + 1), {.axis = axis, .keepdims = true});
    if (!is_inexact(x.dtype())) return middle;
    const array last = last_of(ordered, axis);
    return where(isnan(last), last, middle);
}

array statistic(PadMode mode, const array& x, int axis, Dtype dtype) {
    const FoldOptions options{.axis = axis, .keepdims = true};
    if (mode == PadMode::maximum) return max(x, options);
    if (mode == PadMode::minimum) return min(x, options);
    const array found = mode == PadMode::mean ? mean(x, options) : median_along(x, axis);
    return is_integer(dtype) ? round(found) : found;
}

void grow_statistics(Growing& growing, int axis, PadMode mode, const std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>>& lengths) {
    const array valid = growing.valid();
    const Size most = size_of(valid, axis);
    const auto length_of = [most](const std::optional<std::int64_t>& given) { return given ? smaller(Size(*given), most) : most; };
    const Size before = length_of(lengths.first), after = length_of(lengths.second);
    if ((mode == PadMode::maximum || mode == PadMode::minimum) && (before == 0 || after == 0)) {
        throw ValueError("stat_length of 0 yields no value for padding");
    }
    const array first = statistic(mode, part(valid, axis, 0, before), axis, valid.dtype());
    const bool are_all = before == most && after == most;
    growing.grow(axis, first, are_all ? first : statistic(mode, part(valid, axis, most - after, most), axis, valid.dtype()));
}

// Reflections of what there is, over and over until the border is full. A reflection is of no more than whole periods of what was given.
void grow_reflections(Growing& growing, int axis, bool includes_edge, bool odd) {
    const Size given = size_of(growing.valid(), axis);
    if (given == 1) {  // as it is, not an error
        const array valid = growing.valid();
        return growing.grow(axis, valid, valid);
    }
    const Size skipped = includes_edge ? 0 : 1;
    while (growing.missing(axis).before > 0 || growing.missing(axis).after > 0) {
        const array valid = growing.valid();
        const Size length = size_of(valid, axis), period = given - skipped;
        const Size reach = length == given ? period : (length - skipped).now() / period.now() * period.now();
        const Size before = smaller(reach, growing.missing(axis).before), after = smaller(reach, growing.missing(axis).after);
        array first = mirrored(part(valid, axis, skipped, skipped + before), axis);
        array last = mirrored(part(valid, axis, length - skipped - after, length - skipped), axis);
        if (odd) {
            first = 2 * first_of(valid, axis) - first;
            last = 2 * last_of(valid, axis) - last;
        }
        growing.grow(axis, first, before, last, after);
    }
}

void grow_wrapped(Growing& growing, int axis) {
    const Size given = size_of(growing.valid(), axis);
    while (growing.missing(axis).before > 0 || growing.missing(axis).after > 0) {
        const array valid = growing.valid();
        const Size length = size_of(valid, axis);
        const Size period = length == given ? given : Size(length.now() / given.now() * given.now());
        const Size before = smaller(period, growing.missing(axis).before), after = smaller(period, growing.missing(axis).after);
        growing.grow(axis, part(valid, axis, period - before, period), before, part(valid, axis, length - period, length - period + after), after);
    }
}

bool is_empty(const array& x) {
    for (int i = 0; i < x.ndim(); ++i) {
        if (size_of(x, i) == 0) return true;
    }
    return false;
}

void grow(Growing& growing, int axis, int rank, const PadOptions& options) {
    const Widths widths = growing.missing(axis);
    if (widths.before == 0 && widths.after == 0) return;
    switch (options.mode) {
        case PadMode::constant: {
            const auto& [first, last] = of_axis(options.values, axis, rank);
            return growing.grow(axis, value_of(first), value_of(last));
        }
        case PadMode::edge: {
            const array valid = growing.valid();
            return growing.grow(axis, first_of(valid, axis), last_of(valid, axis));
        }
        case PadMode::linear_ramp: return grow_ramps(growing, axis, of_axis(options.values, axis, rank));
        case PadMode::reflect:
        case PadMode::symmetric: return grow_reflections(growing, axis, options.mode == PadMode::symmetric, options.odd);
        case PadMode::wrap: return grow_wrapped(growing, axis);
        case PadMode::empty: return;
        default: return grow_statistics(growing, axis, options.mode, of_axis(options.stat_length, axis, rank));
    }
}

}  // namespace

array pad(const array& x, const std::vector<std::pair<std::int64_t, std::int64_t>>& widths, const PadOptions& options) {
    std::vector<Widths> border;
    for (int i = 0; i < x.ndim(); ++i) {
        const auto [before, after] = of_axis(widths, i, x.ndim());
        if (Size(before) < 0 || Size(after) < 0) throw ValueError("index can't contain negative values");
        border.push_back({before, after});
    }
    if (options.mode == PadMode::empty && compat::is_recorded(x)) return pad(x, widths);
    const bool takes_none = options.mode == PadMode::constant || options.mode == PadMode::empty;
    if (!takes_none && is_empty(x)) {
        for (int i = 0; i < x.ndim(); ++i) {
            const Widths& each = border[static_cast<std::size_t>(i)];
            if (!(size_of(x, i) == 0) || (each.before == 0 && each.after == 0)) continue;
            throw ValueError("can't extend empty axis " + std::to_string(i) + " using modes other than 'constant' or 'empty'");
        }
        return pad(x, widths);
    }
    Growing made(x, border);
    for (int i = 0; i < x.ndim(); ++i) grow(made, i, x.ndim(), options);
    return made.result();
}

}  // namespace fastnp
