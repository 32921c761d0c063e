// Elements chosen by index or by order.
#include <algorithm>
#include <optional>

#include "api/at_device.h"
#include "api/primitives.h"
#include "api/rows.h"
#include "device/span.h"
#include "eager/kernels.h"
#include "eager/picked.h"
#include "eager/sort_line.h"
#include "fastnp/detail/layout.h"
#include "fastnp/detail/order.h"
#include "fastnp/error.h"
#include "fastnp/ops.h"
#include "ops/infer.h"
#include "plan/device_select.h"
#include "shape/strides.h"

namespace fastnp {

namespace {

array as_indices(const Operand& indices) {
    const array x = api::as_array(indices);
    if (x.dtype() != Dtype::bool_ && !is_integer(x.dtype())) {
        throw TypeError("Cannot cast array data from dtype('" + std::string(name_of(x.dtype())) +
                        "') to dtype('int64') according to the rule 'same_kind'");
    }
    return api::cast(x, Dtype::int64);
}

array ordered(ir::Op op, const array& x, std::optional<int> axis, bool stable) {
    const array source = axis ? x : api::flatten(x);
    ir::Attributes attributes;
    attributes.ints = {ops::normalize_axis(axis.value_or(0), source.ndim()), stable ? 1 : 0};
    return api::apply(op, attributes, {&source, 1});
}

// Each index is looked at, unless it is clipped.
array taken(const array& x, const Operand& indices, int axis, TakeMode mode) {
    ir::Attributes attributes;
    attributes.ints = {axis, static_cast<std::int64_t>(mode)};
    const array operands[] = {x, as_indices(indices)};
    return api::apply(ir::Op::take, attributes, operands);
}

}  // namespace

array take(const array& x, const Operand& indices, std::optional<int> axis, TakeMode mode) {
    const array source = axis && x.ndim() > 0 ? x : api::flatten(x);
    const int place = ops::normalize_axis(axis.value_or(0), source.ndim());
    const api::Dims shape = api::dims_of(source);
    // As NumPy's: where nothing lies before the axis no index is looked at, where nothing lies behind it each one is.
    for (int i = 0; i < place && mode == TakeMode::raise; ++i) {
        if (api::arithmetic().equal(shape[static_cast<std::size_t>(i)], api::Dim(0))) mode = TakeMode::clip;
    }
    return taken(source, indices, place, mode);
}

api::Rows api::rows_of(const array& x, const std::vector<array>& indices) {
    if (indices.empty() || static_cast<int>(indices.size()) > x.ndim()) {
        throw IndexError("too many indices for array: array is " + std::to_string(x.ndim()) + "-dimensional, but " + std::to_string(indices.size()) +
                         " were indexed");
    }
    if (indices.size() == 1) return {x, as_indices(indices[0])};
    const api::Dims shape = api::dims_of(x);
    const shape::Arithmetic sizes = api::arithmetic();
    const std::vector<array> parts = broadcast_arrays(indices);
    api::Dim rows(1);
    array index;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        // Taken from 0, 1, 2 ..., so that each is within its own axis.
        const array place = take(api::iota({shape[i]}, 0), as_indices(parts[i]), 0);
        index = i == 0 ? place : add(multiply(index, api::extent(shape[i])), place);
        rows = sizes.multiply(rows, shape[i]);
    }
    api::Dims merged{rows};
    for (std::size_t i = parts.size(); i < shape.size(); ++i) merged.push_back(shape[i]);
    return {api::reshape(x, merged), index};
}

namespace {

/// An index into an axis without elements is one out of bounds. (take() has words of its own for it.)
void check_axes_have_elements(const array& x, const std::vector<array>& indices) {
    const api::Dims shape = api::dims_of(x);
    const shape::Arithmetic sizes = api::arithmetic();
    for (std::size_t i = 0; i < std::min(indices.size(), shape.size()); ++i) {
        if (!sizes.equal(shape[i], api::Dim(0)) || sizes.equal(sizes.product(api::dims_of(indices[i])), api::Dim(0))) continue;
        const auto first = api::flatten(as_indices(indices[i])).index({0}).item<std::int64_t>();
        eager::throw_out_of_bounds(first, static_cast<std::int64_t>(i), 0);
    }
}

bool is_recorded(const std::vector<array>& arrays) {
    return trace::Recorder::active() != nullptr || std::ranges::any_of(arrays, [](const array& each) { return each.is_recorded(); });
}

// Elements of x at indices, taken or set by one operation on a device. The arrays: x, the indices, and what is set. False where it is none for a device.
template <class Record>
bool run_there(api::Operation& operation, const std::vector<array>& arrays, bool writes, Record record, std::vector<array>& results) {
    const device::Memory& x = arrays[0].body()->memory;
    operation.note(arrays.size());
    std::vector<int> places{writes ? operation.take_output(x) : operation.take(x)};
    for (std::size_t i = 1; i < arrays.size(); ++i) places.push_back(operation.take(arrays[i].body()->memory));
    operation.note_lengths(x.shape, false);
    device::Backend* device = operation.device();
    if (device == nullptr) return false;
    const auto record_over = [&](std::span<const array> given) -> std::vector<array> {
        std::vector<array> parts;
        for (const int place : places) parts.push_back(given[static_cast<std::size_t>(place)]);
        return record(parts[0], std::vector<array>(parts.begin() + 1, parts.end()));
    };
    return operation.run(*device, record_over, results);
}

shape::Layout layout_of(const array& x) {
    const device::Memory& memory = x.body()->memory;
    return {memory.data, memory.shape, memory.strides, itemsize_of(memory.dtype)};
}

// Memory that does not move is written to by the host; where the memory of x is also another's, the result is made beside it.
bool scatter_there(const array& x, const std::vector<array>& indices, const array& values, std::optional<ir::Op> combine) {
    std::vector<array> arrays{x};
    arrays.insert(arrays.end(), indices.begin(), indices.end());
    arrays.push_back(values);
    if (!api::may_be_on_device() || is_recorded(arrays)) return false;
    const bool overlaps =
        std::any_of(arrays.begin() + 1, arrays.end(), [&](const array& each) { return shape::may_overlap(layout_of(x), layout_of(each)); });
    const device::Memory& target = x.body()->memory;
    if (overlaps || !device::can_move(target.data) || shape::repeats(target.shape, target.strides)) return false;
    api::Operation operation("scatter");
    operation.note(combine ? static_cast<int>(*combine) : -1);
    const auto record = [&](const array& to, std::vector<array> others) {
        const array given = others.back();
        others.pop_back();
        api::scatter(to, others, given, combine);
        return std::vector<array>();
    };
    std::vector<array> results;
    return run_there(operation, arrays, true, record, results);
}

}  // namespace

namespace {

// Of concrete arrays that no device has to do with. IndexError for more indices than axes.
bool are_at_hand(const array& x, const std::vector<array>& indices) {
    if (indices.empty() || static_cast<int>(indices.size()) > x.ndim()) return false;
    return !api::may_be_on_device() && !x.is_recorded() && !is_recorded(indices);
}

// Indices of one shape.
std::vector<array> fitted_indices(const std::vector<array>& indices) {
    std::vector<array> fitted;
    for (const array& each : indices) fitted.push_back(as_indices(each));
    return fitted.size() == 1 ? fitted : broadcast_arrays(fitted);
}

std::vector<eager::View> views_of(const std::vector<array>& arrays) {
    std::vector<eager::View> views;
    for (const array& each : arrays) views.push_back(api::view_of(each.body()->memory));
    return views;
}

// Of what indices of one shape pick along the first axes.
api::Dims picked_shape(const array& x, std::span<const array> indices) {
    api::Dims shape = api::dims_of(indices[0]);
    const api::Dims whole = api::dims_of(x);
    for (std::size_t i = indices.size(); i < whole.size(); ++i) shape.push_back(whole[i]);
    return shape;
}

// Broadcast to that; ValueError in NumPy's words.
array fitted_values(const array& given, const array& x, std::span<const array> indices, bool combines) {
    const api::Dims shape = picked_shape(x, indices);
    try {
        return api::broadcast(given, shape);
    } catch (const ValueError&) {
        if (combines) api::throw_unfit();
        shape::Sizes* const sizes = api::active_sizes();
        throw ValueError("shape mismatch: value array of shape " + ops::compact_text(api::dims_of(given), sizes) +
                         " could not be broadcast to indexing result of shape " + ops::compact_text(shape, sizes));
    }
}

// Where all places are set to one row, one that lies together: it is made once.
array with_close_row(const array& values, int places) {
    const Shape shape = values.shape();
    const Strides steps = values.strides();
    for (int i = 0; i < places; ++i) {
        if (steps[static_cast<std::size_t>(i)] != 0 && shape[static_cast<std::size_t>(i)] != 1) return values;
    }
    if (values.ndim() == places || values.size() == 0) return values;
    const array row = values.index(std::vector<Index>(static_cast<std::size_t>(places), Index(0)));
    return row.is_c_contiguous() ? values : broadcast_to(row.copy(), shape);
}

// Each is checked before anything is written.
void scatter_at_hand(const array& x, const std::vector<array>& indices, const array& given, std::optional<ir::Op> combine) {
    const array values = fitted_values(given, x, indices, combine.has_value());
    (void)api::checked_sizes(values.shape(), itemsize_of(x.dtype()));
    const device::Memory& target = x.body()->memory;
    const auto apart = [&](const array& each) { return shape::may_overlap(layout_of(each), layout_of(x)) ? each.copy() : each; };
    std::vector<array> own;
    for (const array& each : indices) own.push_back(apart(each));
    const array set = with_close_row(apart(values), indices[0].ndim());
    const std::vector<eager::View> views = views_of(own);
    const eager::View beside = api::view_of(set.body()->memory);
    device::HostWrite write(target);
    const eager::Picked picked{api::view_of(target), 0, views};
    check(picked);
    if (combine) eager::combine(picked, *combine, beside);
    else eager::scatter(picked, beside);
    write.done();
}

}  // namespace

void api::throw_unfit() { throw ValueError("array is not broadcastable to correct shape"); }

void api::scatter(const array& x, const std::vector<array>& indices, const Operand& values, std::optional<ir::Op> combine) {
    api::check_writable(x, "assignment destination is read-only");
    const array of_values = api::as_array(values, values.as_scalar() != nullptr ? std::optional(x.dtype()) : std::nullopt);
    if (scatter_there(x, indices, of_values, combine)) return;
    const array given = api::cast(of_values, x.dtype());
    if (are_at_hand(x, indices) && !of_values.is_recorded()) return scatter_at_hand(x, fitted_indices(indices), given, combine);
    const api::Rows rows = api::rows_of(x, indices);
    ir::Attributes attributes;
    attributes.ints = {combine ? static_cast<std::int64_t>(*combine) : -1};
    const array operands[] = {rows.x, rows.index, fitted_values(given, rows.x, {&rows.index, 1}, combine.has_value())};
    api::assign(x, api::reshape(api::apply(ir::Op::scatter, attributes, operands), api::dims_of(x)));
}

namespace {

// On a device all of it is one operation; nothing where it is none for a device.
std::optional<array> pick_there(const array& x, const std::vector<array>& indices) {
    std::vector<array> arrays{x};
    arrays.insert(arrays.end(), indices.begin(), indices.end());
    if (!api::may_be_on_device() || is_recorded(arrays)) return std::nullopt;
    api::Operation operation("pick");
    std::vector<array> results;
    const auto record = [](const array& from, const std::vector<array>& picked) -> std::vector<array> { return {pick(from, picked)}; };
    if (!run_there(operation, arrays, false, record, results)) return std::nullopt;
    return std::move(results[0]);
}

}  // namespace

array pick(const array& x, const std::vector<array>& indices) {
    check_axes_have_elements(x, indices);
    if (auto there = pick_there(x, indices)) return std::move(*there);
    SmallVector<std::int64_t> axes;
    for (std::size_t i = 0; i < indices.size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
    if (are_at_hand(x, indices)) {
        const std::vector<array> fitted = fitted_indices(indices);
        const shape::AxisOrder order = api::picked_order(x, {axes.data(), axes.size()}, indices, 0);
        Shape shape;
        for (const api::Dim size : picked_shape(x, fitted)) shape.push_back(size.value());
        (void)api::checked_sizes(shape, itemsize_of(x.dtype()));
        const device::Memory made = api::allocate(x.dtype(), shape, order);
        const std::vector<eager::View> views = views_of(fitted);
        eager::gather({api::view_of(x.body()->memory), 0, views}, api::view_of(made));
        return api::wrap(made, true);
    }
    const api::Rows rows = api::rows_of(x, indices);
    const array picked = take(rows.x, rows.index, 0, indices.size() == 1 ? TakeMode::raise : TakeMode::clip);  // of several, each was looked at
    return api::laid_out(picked, api::picked_order(x, {axes.data(), axes.size()}, indices, 0));
}

void set_at(const array& x, const std::vector<array>& indices, const Operand& values) { api::scatter(x, indices, values, std::nullopt); }

void set_masked(const array& x, const array& mask, const array& values) {
    api::check_writable(x, "assignment destination is read-only");
    api::check_mask(x, mask);
    const api::Dims shape = api::dims_of(x);
    const array chosen = api::flatten(mask);
    const api::Dim count = api::size_of(sum(chosen));
    const api::Dim given = values.ndim() == 0 ? api::Dim(1) : api::dims_of(values)[0];
    if (values.ndim() == 0 || !api::arithmetic().equal(count, given)) {
        throw ValueError("NumPy boolean array indexing assignment cannot assign " + api::arithmetic().told(given) + " input values to the " +
                         api::arithmetic().told(count) + " output values where the mask is true");
    }
    if (api::arithmetic().equal(given, api::Dim(0))) return;
    api::Dims rows{api::arithmetic().product(api::dims_of(mask))};
    for (auto i = static_cast<std::size_t>(mask.ndim()); i < shape.size(); ++i) rows.push_back(shape[i]);
    const array order = subtract(cumsum(chosen), 1);
    const array spread = api::broadcast(take(api::cast(values, x.dtype()), order, 0, TakeMode::clip), rows);
    array where = chosen;
    while (where.ndim() < static_cast<int>(rows.size())) where = expand_dims(where, -1);
    api::assign(x, api::reshape(api::select(where, spread, api::reshape(x, rows)), shape));
}

array sort(const array& x, std::optional<int> axis, bool stable) { return ordered(ir::Op::sort, x, axis, stable); }

array argsort(const array& x, std::optional<int> axis, bool stable) {
    if (x.ndim() == 0 && axis) (void)ops::normalize_axis(*axis, 1);
    return ordered(ir::Op::argsort, x, x.ndim() == 0 ? std::nullopt : axis, stable);
}

array searchsorted(const array& sorted, const Operand& values, Side side) {
    if (sorted.ndim() != 1) throw ValueError(sorted.ndim() == 0 ? "object of too small depth for desired array" : "object too deep for desired array");
    const array given = api::as_array(values);
    const Dtype dtypes[] = {sorted.dtype(), given.dtype()};
    const Dtype dtype = result_type(dtypes);
    ir::Attributes attributes;
    attributes.ints = {side == Side::right ? 1 : 0};
    const array operands[] = {api::cast(sorted, dtype), api::cast(api::flatten(given), dtype)};
    return api::reshape(api::apply(ir::Op::searchsorted, attributes, operands), api::dims_of(given));
}

namespace detail {

array picked_along(const array& x, const array& index, int axis) {
    const std::int64_t place = ops::normalize_axis(axis, x.ndim());
    const shape::AxisOrder order = api::picked_order(x, {&place, 1}, {&index, 1}, static_cast<int>(place));
    if (order.empty() || x.is_recorded() || trace::Recorder::active() != nullptr || index.ndim() != 1)
        return api::laid_out(taken(x, index, static_cast<int>(place), TakeMode::raise), order);
    // Taken in the order in which the result lies, so that nothing is copied twice.
    Shape back(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
    return transpose(take(transpose(x, Shape(order.begin(), order.end())), index, 0), back);
}

array masked_along(const array& x, const array& mask, int axis) { return picked_along(x, flatnonzero(mask), axis); }

array laid_like(const array& x, const array& like, Order order) { return api::laid_out(x, api::order_of(like, order)); }

array laid_as_computed(const array& x, const std::vector<array>& operands, const Shape& reduced) {
    ir::Attributes attributes;
    attributes.ints.assign(reduced.begin(), reduced.end());
    return api::laid_out(x, api::result_order(ir::Op::sum, attributes, operands));
}

array sorted_part(const array& x, std::int64_t first, std::int64_t count) {
    ir::Attributes attributes;
    attributes.ints = {ops::normalize_axis(-1, x.ndim()), 0};
    attributes.dims = api::checked_sizes({first, count});
    const api::Dim length = api::dims_of(x).back(), end = api::arithmetic().add(attributes.dims[0], attributes.dims[1]);
    if (!api::arithmetic().at_least(length, end)) throw ValueError("there are no such elements in lines of " + api::arithmetic().told(length));
    return api::apply(ir::Op::sort, attributes, {&x, 1});
}

void partition_line(void* line, Dtype dtype, std::int64_t count, std::span<const std::int64_t> places) {
    eager::with_element(dtype, [&]<class T>() { eager::partition_line(static_cast<T*>(line), count, places); });
}

bool finds_sorted_part(const array& x, std::int64_t count) {
    Shape shape;
    for (const api::Dim dim : api::dims_of(x)) shape.push_back(api::arithmetic().hint(dim));
    return shape::count(shape) > 0 && plan::is_selected({nullptr, x.dtype(), shape, {}}, count);
}

}  // namespace detail

}  // namespace fastnp
