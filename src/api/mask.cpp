// What is where something is true: arrays whose sizes depend on values. While recording, such a size is one that the plan finds on its way.
#include "api/at_device.h"
#include "api/primitives.h"
#include "eager/unique.h"
#include "fastnp/detail/at_home.h"
#include "fastnp/detail/elements.h"
#include "fastnp/detail/memory.h"
#include "fastnp/detail/unique.h"
#include "fastnp/error.h"
#include "fastnp/ops.h"

namespace fastnp {

namespace api {

Dim size_of(const array& count, std::int64_t low, std::int64_t high) {
    if (trace::Recorder* recorder = trace::Recorder::active()) return recorder->bind(value_of(*recorder, count), low, high);
    return {count.item<std::int64_t>()};
}

}  // namespace api

namespace {

// Of few elements on the host they are counted without an op.
api::Dim count_of(const array& mask) {
    constexpr std::int64_t few = 1 << 14;
    detail::HostElements found;
    const bool is_near = detail::find_on_host(mask, found) && found.rank() == 1 && found.strides->front() == 1 && found.shape->front() <= few;
    return is_near ? api::Dim(detail::count_true(found.data, found.shape->front())) : api::size_of(sum(mask));
}

array true_places(const array& mask) {
    ir::Attributes attributes;
    attributes.dims.push_back(count_of(mask));
    return api::apply(ir::Op::nonzero, attributes, {&mask, 1});
}

array rows_at(const array& x, const array& places) { return take(x, places, 0, TakeMode::clip); }

// Sorted elements, and which of them are the first of their value; NaNs are one value.
struct Sorted {
    array values, first;
};

Sorted firsts_of(const array& sorted, bool equal_nan) {
    const array number = api::iota(api::dims_of(sorted), 0);
    const array before = rows_at(sorted, maximum(subtract(number, 1), 0));
    array differs = not_equal(sorted, before);
    const char kind = kind_of(sorted.dtype());
    if (equal_nan && (kind == 'f' || kind == 'c')) differs = logical_and(differs, logical_not(logical_and(isnan(sorted), isnan(before))));
    return {sorted, logical_or(equal(number, 0), differs)};
}

}  // namespace

array flatnonzero(const array& x) { return true_places(api::flatten(api::cast(x, Dtype::bool_))); }

std::vector<array> nonzero(const array& x) {
    if (x.ndim() == 0) throw ValueError("Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead.");
    array place = flatnonzero(x);
    const api::Dims shape = api::dims_of(x);
    std::vector<array> indices(shape.size());
    for (std::size_t axis = shape.size(); axis-- > 1;) {
        const array extent = api::extent(shape[axis]);
        indices[axis] = remainder(place, extent);
        place = floor_divide(place, extent);
    }
    indices[0] = place;
    return indices;
}

array argwhere(const array& x) {
    if (x.ndim() > 0) return transpose(stack(nonzero(x)));
    const api::Dim count = api::size_of(sum(api::flatten(api::cast(x, Dtype::bool_))));
    return api::constant(0, Dtype::int64, {count, api::Dim(0)}).copy();
}

array get_masked(const array& x, const array& mask) {
    if (mask.dtype() != Dtype::bool_) throw IndexError("a mask must be an array of bools");
    api::check_mask(x, mask);
    const api::Dims shape = api::dims_of(x);
    api::Dims rows{api::arithmetic().product(api::dims_of(mask))};
    for (auto i = static_cast<std::size_t>(mask.ndim()); i < shape.size(); ++i) rows.push_back(shape[i]);
    const array places = flatnonzero(mask);
    const array picked = rows_at(api::reshape(x, rows), places);
    if (x.ndim() == mask.ndim()) return picked;
    SmallVector<std::int64_t> axes;
    for (int axis = 0; axis < mask.ndim(); ++axis) axes.push_back(axis);
    return api::laid_out(picked, api::picked_order(x, {axes.data(), axes.size()}, {&places, 1}, 0));
}

array compress(const array& condition, const array& x, std::optional<int> axis) {
    if (condition.ndim() != 1) throw ValueError("condition must be a 1-d array");
    return take(x, flatnonzero(condition), axis);
}

namespace {

bool is_at_hand(const array& x) {
    return trace::Recorder::active() == nullptr && !x.is_recorded() && !detail::is_at_device(x) && !api::may_be_on_device();
}

// A line of its own, in C order.
array copied_line(const array& x) { return api::flatten(x).copy(Order::c); }

eager::View line_of(const array& x) { return api::view_of(x.body()->memory); }

// The first `count` elements, as an array that is all of its memory unless most of that would be unused.
array beginning(const array& x, std::int64_t count) {
    if (count == x.size()) return x;
    device::Memory memory = x.body()->memory;
    memory.shape = {count};
    const array part = api::wrap(std::move(memory));
    return 2 * count < x.size() ? part.copy() : part;
}

std::int64_t* places_of(const array& x) { return x.data<std::int64_t>(); }

// How many of each value there are, of where they begin among so many.
array counts_of(const array& starts, std::int64_t values, std::int64_t elements) {
    array counts = beginning(starts, values);
    std::int64_t* const at = places_of(counts);
    for (std::int64_t i = 0; i < values; ++i) at[i] = (i + 1 < values ? at[i + 1] : elements) - at[i];
    return counts;
}

Unique unique_at_hand(const array& x, bool equal_nan) {
    const array line = api::flatten(x).copy(Order::c), values = empty(line.shape(), line.dtype());
    const array indices = empty(line.shape(), Dtype::int64), starts = empty(line.shape(), Dtype::int64), inverse = empty(line.shape(), Dtype::int64);
    const eager::UniquePlaces places{places_of(indices), places_of(starts), places_of(inverse)};
    const std::int64_t found = eager::order_unique(line_of(line), equal_nan, values.data(), places);
    return {beginning(values, found), beginning(indices, found), inverse.reshape(x.shape()), counts_of(starts, found, line.size())};
}

}  // namespace

array unique(const array& x, bool equal_nan) {
    if (is_at_hand(x)) {
        const array line = copied_line(x);
        return beginning(line, eager::sort_unique(line_of(line), equal_nan, nullptr));
    }
    const detail::AtHome home(x);
    const Sorted sorted = firsts_of(sort(api::flatten(x)), equal_nan);
    return get_masked(sorted.values, sorted.first);
}

detail::CountedValues detail::counted_values(const array& x, bool equal_nan) {
    if (is_at_hand(x)) {
        const array line = copied_line(x), starts = empty(line.shape(), Dtype::int64);
        const std::int64_t found = eager::sort_unique(line_of(line), equal_nan, places_of(starts));
        return {beginning(line, found), counts_of(starts, found, line.size())};
    }
    const Unique all = unique_all(x, equal_nan);
    return {all.values, all.counts};
}

Unique unique_all(const array& x, bool equal_nan) {
    if (is_at_hand(x)) return unique_at_hand(x, equal_nan);
    const detail::AtHome home(x);
    const array flat = api::flatten(x);
    const array order = argsort(flat, -1, true);
    const Sorted sorted = firsts_of(rows_at(flat, order), equal_nan);
    const array places = flatnonzero(sorted.first);
    const array ends = concatenate({places, api::reshape(api::extent(api::dims_of(flat)[0]), {1})});
    const array number = subtract(cumsum(sorted.first), 1);
    array inverse = zeros_like(number);
    set_at(inverse, {order}, number);
    return {rows_at(sorted.values, places), rows_at(order, places), api::reshape(inverse, api::dims_of(x)),
            subtract(ends.index(std::vector<Index>{Slice{1, std::nullopt, 1}}), places)};
}

}  // namespace fastnp
