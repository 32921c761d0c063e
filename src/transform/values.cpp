#include "transform/values.h"

#include "ops/infer.h"

namespace fastnp::transform {

using api::Dim;
using api::Dims;

namespace {

array permuted(const array& x, const AxisList& axes) { return api::permute(x, span_of(axes)); }

// A part of x along one axis.
array cut(const array& x, std::size_t axis, Dim start, Dim length) {
    Dims starts(static_cast<std::size_t>(x.ndim()), Dim(0)), lengths = api::dims_of(x);
    starts[axis] = start;
    lengths[axis] = length;
    const AxisList steps(static_cast<std::size_t>(x.ndim()), 1);
    return api::slice(x, starts, lengths, span_of(steps));
}

array reversed(const array& x, std::size_t axis) { return flip(x, static_cast<int>(axis)); }

array running_product(const array& x, std::size_t axis) {
    const auto place = static_cast<std::int64_t>(axis);
    return api::fold(Op::cumprod, x, {&place, 1});
}

}  // namespace

array shifted(const array& x, std::size_t axis, std::int64_t by, double fill) {
    const Dim length = api::dims_of(x)[axis];
    Dims shape = api::dims_of(x);
    shape[axis] = Dim(by);
    const array front = api::constant(fill, x.dtype(), shape);
    return concatenate({front, cut(x, axis, Dim(0), api::arithmetic().subtract(length, Dim(by)))}, static_cast<int>(axis));
}

std::int64_t fixed(Dim size) {
    const std::int64_t now = api::arithmetic().hint(size);
    api::arithmetic().equal(size, Dim(now));
    return now;
}

array converted(const array& x, Dtype dtype) {
    if (x.dtype() == dtype) return x;
    return api::cast(is_complex(x.dtype()) && !is_complex(dtype) ? real(x) : x, dtype);
}

array across(const array& x, std::int64_t axis, Op fold) {
    ir::Attributes attributes;
    attributes.ints = {axis, static_cast<std::int64_t>(fold)};
    return api::apply(Op::across, attributes, {&x, 1});
}

array zeros_of(Value value) { return api::constant(0, value->dtype, value->shape); }

array region_of(const array& x, const ir::Node& update) {
    const std::size_t rank = update.shape.size();
    const Dims& dims = update.attributes.dims;
    return api::slice(x, Dims(dims.begin(), dims.begin() + rank), Dims(dims.begin() + rank, dims.end()), span_of(update.attributes.ints));
}

array spread(const array& x, Value like, const AxisList& axes) { return api::broadcast(api::expand(x, span_of(axes)), like->shape); }

array take_along(const array& x, const array& indices, std::size_t axis) {
    const shape::Arithmetic sizes = api::arithmetic();
    const array source = moveaxis(x, static_cast<int>(axis), -1), places = moveaxis(indices, static_cast<int>(axis), -1);
    const Dims shape = api::dims_of(source);
    const Dim length = shape[shape.size() - 1];
    const Dim rows = sizes.product(Dims(shape.begin(), shape.end() - 1));
    const array starts = api::iota({rows, Dim(1)}, 0) * api::extent(length);
    const array flat = take(api::flatten(source), api::reshape(places, {rows, length}) + starts, 0, TakeMode::clip);
    return moveaxis(api::reshape(flat, shape), -1, static_cast<int>(axis));
}

array products_before(const array& x, std::size_t axis) {
    if (api::arithmetic().equal(api::dims_of(x)[axis], Dim(0))) return x;
    return shifted(running_product(x, axis), axis, 1, 1);
}

array next_along(const array& x, std::size_t axis) {
    const Dim rest = api::arithmetic().subtract(api::dims_of(x)[axis], Dim(1));
    Dims one = api::dims_of(x);
    one[axis] = Dim(1);
    return concatenate({cut(x, axis, Dim(1), rest), api::constant(0, x.dtype(), one)}, static_cast<int>(axis));
}

array part_of_lines(const ir::Node& sort, const array& x) {
    if (sort.attributes.dims.empty()) return x;
    const AxisList steps(sort.shape.size(), 1);
    shape::Dims starts(sort.shape.size(), shape::Dim(0));
    starts[static_cast<std::size_t>(sort.attributes.ints[0])] = sort.attributes.dims[0];
    return api::slice(x, starts, sort.shape, span_of(steps));
}

array of_whole_lines(const ir::Node& sort, const array& x) {
    if (sort.attributes.dims.empty()) return x;
    const auto axis = static_cast<std::size_t>(sort.attributes.ints[0]);
    const std::size_t rank = sort.shape.size();
    const shape::Arithmetic sizes = api::arithmetic();
    ir::Attributes widths;
    widths.dims = shape::Dims(2 * rank, shape::Dim(0));
    widths.dims[axis] = sort.attributes.dims[0];
    widths.dims[rank + axis] = sizes.subtract(sort.inputs[0]->shape[axis], sizes.add(sort.attributes.dims[0], sort.attributes.dims[1]));
    const array operands[] = {x, api::constant(0, x.dtype())};
    return api::apply(Op::pad, widths, operands);
}

array products_of_others(const array& x, const AxisList& axes) {
    const Dims shape = api::dims_of(x);
    AxisList order;
    Dims lead;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        bool summed = false;
        for (const std::int64_t axis : axes) summed = summed || axis == static_cast<std::int64_t>(i);
        if (summed) continue;
        order.push_back(static_cast<std::int64_t>(i));
        lead.push_back(shape[i]);
    }
    Dim length(1);
    const std::size_t place = lead.size();
    for (const std::int64_t axis : axes) {
        order.push_back(axis);
        length = api::arithmetic().multiply(length, shape[static_cast<std::size_t>(axis)]);
    }
    Dims rows = lead;
    rows.push_back(length);
    const array moved = permuted(x, order);
    const array lines = api::reshape(moved, rows);
    const array after = reversed(products_before(reversed(lines, place), place), place);
    return permuted(api::reshape(products_before(lines, place) * after, api::dims_of(moved)), inverse(order));
}

// Hillis and Steele's scan of the maps y -> b + a y: after the step of d, each stands for 2 d of them.
array recurrence(const array& a, const array& b, std::size_t axis) {
    const std::int64_t length = fixed(api::dims_of(b)[axis]);
    array factor = a, sum = b;
    for (std::int64_t d = 1; d < length; d *= 2) {
        sum = sum + factor * shifted(sum, axis, d, 0);
        if (2 * d < length) factor = factor * shifted(factor, axis, d, 0);
    }
    return sum;
}

array indices_of(const ir::Node& take) {
    const array given = array_of(take.inputs[1]);
    const array length = api::extent(take.inputs[0]->shape[static_cast<std::size_t>(take.attributes.ints[0])]);
    switch (static_cast<TakeMode>(take.attributes.ints[1])) {
        case TakeMode::raise: return given;
        case TakeMode::wrap: return remainder(given, length);
        case TakeMode::clip: return minimum(maximum(given, 0), length - 1);
    }
    return given;
}

array stays(const ir::Node& scatter) {
    const array indices = array_of(scatter.inputs[1]);
    const Dims shape = api::dims_of(indices);
    const array numbers = api::reshape(api::iota({api::arithmetic().product(shape)}, 0), shape);
    const array last = api::constant(0, Dtype::int64, {scatter.shape[0]});
    set_at(last, {indices}, numbers);
    return take(last, indices, 0) == numbers;
}

}  // namespace fastnp::transform
