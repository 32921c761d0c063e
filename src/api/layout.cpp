#include "api/layout.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "api/primitives.h"
#include "ops/catalogue.h"
#include "pass/index_map.h"
#include "shape/arithmetic.h"
#include "shape/strides.h"

namespace fastnp::api {

using ir::Op;
using shape::AxisOrder;
using shape::Dim;
using shape::Dims;
using shape::Steps;

namespace {

Steps steps_of(const array& x) {
    const detail::ArrayBody& body = *x.body();
    if (!x.is_recorded()) return shape::steps_of(body.memory.shape, body.memory.strides);
    shape::Sizes& sizes = body.recorder->graph().sizes();
    const Dims& shape = body.value->shape;
    Steps steps;
    for (const Dim stride : body.strides) steps.push_back(std::abs(sizes.hint(stride)));
    // An axis of one element has no say: the recording is for calls in which the same axes have one.
    for (std::size_t i = 0; i < steps.size() && steps.size() > 1; ++i) {
        if (sizes.equal(shape[i], Dim(1))) steps[i] = -1;
    }
    return steps;
}

Steps steps_of(const eager::View& view) { return shape::steps_of(view.shape, view.strides); }

// Ties the recording to whether the array has elements: without any, arrays of the same program have no steps, and lie in every order.
void note_elements(const array& x) {
    for (const Dim dim : dims_of(x)) (void)arithmetic().equal(dim, Dim(0));
}
void note_elements(const eager::View&) {}

bool lies_in_order(const array& x, bool c_order) {
    const detail::ArrayBody& body = *x.body();
    shape::Sizes& sizes = body.recorder->graph().sizes();
    const Dims& shape = body.value->shape;
    if (pass::has_no_elements(shape, sizes)) return true;  // in any order
    Dim step(static_cast<std::int64_t>(itemsize_of(body.value->dtype)));
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const std::size_t axis = c_order ? shape.size() - 1 - i : i;
        if (shape[axis] == Dim(1)) continue;
        if (!sizes.equal(body.strides[axis], step)) {
            if (sizes.equal(shape[axis], Dim(1))) continue;  // in this call: an axis of one element has no say
            note_elements(x);
            return false;
        }
        step = sizes.multiply(step, shape[axis]);
    }
    return true;
}

bool is_f(const eager::View& view) { return shape::is_f_contiguous(view.shape, view.strides, itemsize_of(view.dtype)); }
bool is_f(const array& x) { return lies_in_f_order(x); }
bool is_c(const array& x) { return lies_in_c_order(x); }
bool is_c(const eager::View& view) { return shape::is_c_contiguous(view.shape, view.strides, itemsize_of(view.dtype)); }

eager::View permuted(eager::View view, std::span<const std::int64_t> axes) {
    const eager::View before = view;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        view.shape[i] = before.shape[static_cast<std::size_t>(axes[i])];
        view.strides[i] = before.strides[static_cast<std::size_t>(axes[i])];
    }
    return view;
}
array permuted(const array& x, std::span<const std::int64_t> axes) { return permute(x, axes); }

Steps all_steps(const eager::View& view) { return shape::steps_of(Shape(view.shape.size(), 0), view.strides); }
Steps all_steps(const array& x) {
    // Steps are products of sizes, and are told apart by those that are not 1: the recording is for calls in which the same ones are.
    for (const Dim dim : dims_of(x)) (void)arithmetic().equal(dim, Dim(1));
    Steps steps;
    for (const Dim stride : strides_of(x)) steps.push_back(std::abs(arithmetic().hint(stride)));
    return steps;
}

AxisOrder reversed(std::size_t rank) {
    AxisOrder order;
    for (std::size_t i = rank; i-- > 0;) order.push_back(static_cast<std::int64_t>(i));
    return order;
}

// Whether no axis takes larger steps than one before it, whatever the sizes are: C order then, also where axes have one element.
bool is_descending(const array& x, bool repeats_count) {
    const detail::ArrayBody& body = *x.body();
    if (!x.is_recorded()) return !repeats_count && shape::is_descending(body.memory.shape, body.memory.strides);
    const shape::Sizes& sizes = body.recorder->graph().sizes();
    const Dim* last = nullptr;
    for (std::size_t i = 0; i < body.strides.size(); ++i) {
        const Dim& step = body.strides[i];
        if (body.value->shape[i] == Dim(1) || (step == Dim(0) && !repeats_count)) continue;
        if (last != nullptr && !sizes.steps_at_least(*last, step)) return false;
        last = &step;
    }
    return true;
}
bool is_descending(const eager::View&, bool) { return false; }  // its steps are at hand: they tell

// As numpy.empty_like of what was transformed, before its axis at `home` was moved to the end; axes of one element count there.
template <class Operand>
AxisOrder spectrum_order(const Operand& x, std::int64_t home) {
    AxisOrder axes;  // of the operand, in NumPy's order
    const std::int64_t rank = static_cast<std::int64_t>(all_steps(x).size()), place = rank + home;
    for (std::int64_t i = 0; i < rank; ++i) axes.push_back(i < place ? i : i == place ? rank - 1 : i - 1);
    const Operand before = permuted(x, {axes.data(), axes.size()});
    AxisOrder order;
    if (!is_c(before)) {
        if (!is_f(before)) order = shape::like_order(all_steps(before));
        else order = reversed(static_cast<std::size_t>(rank));
    }
    if (order.empty()) order = axes;
    else
        for (std::int64_t& axis : order) axis = axes[static_cast<std::size_t>(axis)];
    return std::is_sorted(order.begin(), order.end()) ? AxisOrder{} : order;
}

// Whether NumPy's ufuncs take such operands as one run of elements in F order: axes of one element lie as that order has them, then.
bool are_one_f_run(std::span<const eager::View> operands) {
    const auto is_number = [](const eager::View& view) { return std::ranges::all_of(view.strides, [](std::int64_t step) { return step == 0; }); };
    return std::ranges::all_of(operands, [&](const eager::View& view) { return is_number(view) || is_f(view); }) &&
           !std::ranges::all_of(operands, is_number);
}

// As result_order says: of views, or of arrays.
template <class Operand>
AxisOrder order_for(Op op, const ir::Attributes& attributes, std::span<const Operand> operands) {
    if (op == Op::pad) return is_c(operands[0]) || !is_f(operands[0]) ? AxisOrder() : reversed(all_steps(operands[0]).size());  // numpy.pad knows two
    if (op == Op::sort) return is_descending(operands[0], true) ? AxisOrder() : shape::like_order(steps_of(operands[0]));
    if (ops::is_fft(op)) return spectrum_order(operands[0], attributes.ints.back());
    if (std::ranges::all_of(operands, [&](const Operand& operand) { return is_descending(operand, op == Op::concatenate); })) return {};
    const bool is_fold = ops::info(op).kind == ops::Kind::fold && !attributes.ints.empty();
    if (is_fold) note_elements(operands[0]);
    std::vector<Steps> steps;
    for (const Operand& operand : operands) steps.push_back(steps_of(operand));
    const std::size_t rank = steps[0].size();
    if (op == Op::concatenate) return shape::join_order(rank, steps);
    const AxisOrder order = shape::keep_order(rank, steps);
    if (!is_fold) return order;
    return shape::without_axes(order, rank, {attributes.ints.data(), attributes.ints.size()});
}

}  // namespace

Dims strides_of(const array& x) { return x.is_recorded() ? x.body()->strides : shape::to_dims(x.body()->memory.strides); }

Dims ordered_strides(const Dims& shape, const AxisOrder& order, Dtype dtype, shape::Sizes& sizes) {
    Dims strides(shape.size(), Dim(0));
    if (pass::has_no_elements(shape, sizes)) return strides;
    Dim step(static_cast<std::int64_t>(itemsize_of(dtype)));
    for (std::size_t i = shape.size(); i-- > 0;) {
        const std::size_t axis = order.empty() ? i : static_cast<std::size_t>(order[i]);
        strides[axis] = step;
        step = sizes.multiply(step, shape[axis]);
    }
    return strides;
}

AxisOrder order_of(const array& x, Order order) {
    order = settled(x, order);
    const auto rank = static_cast<std::size_t>(x.ndim());
    if (order == Order::keep && x.is_recorded()) return is_descending(x, true) ? AxisOrder() : shape::like_order(steps_of(x));
    if (order == Order::keep) {  // as numpy.empty_like: where axes of one element would lie is told by their steps, too
        if (rank < 2 || lies_in_c_order(x)) return {};
        const device::Memory& memory = x.body()->memory;
        if (!lies_in_f_order(x)) return shape::like_order(shape::steps_of(Shape(rank, 0), memory.strides));
    }
    return order == Order::c || rank < 2 ? AxisOrder() : reversed(rank);
}

Order settled(const array& x, Order order) {
    if (order != Order::any) return order;
    return !lies_in_c_order(x) && lies_in_f_order(x) ? Order::f : Order::c;
}

bool lies_in_c_order(const array& x) {
    if (x.is_recorded()) return lies_in_order(x, true);
    const device::Memory& memory = x.body()->memory;
    return shape::is_c_contiguous(memory.shape, memory.strides, itemsize_of(memory.dtype));
}

bool lies_in_f_order(const array& x) {
    if (x.is_recorded()) return lies_in_order(x, false);
    const device::Memory& memory = x.body()->memory;
    return shape::is_f_contiguous(memory.shape, memory.strides, itemsize_of(memory.dtype));
}

AxisOrder picked_order(const array& x, std::span<const std::int64_t> axes, std::span<const array> indices, int place) {
    std::size_t fancy = 0;
    for (const array& index : indices) fancy = std::max(fancy, static_cast<std::size_t>(index.ndim()));
    std::vector<Steps> steps;
    for (const array& index : indices) {
        if (std::ranges::all_of(indices, [](const array& each) { return is_descending(each, false); })) break;
        steps.push_back(Steps(fancy - static_cast<std::size_t>(index.ndim()), -1));
        for (const std::int64_t step : steps_of(index)) steps.back().push_back(step);
    }
    const Dims shape = dims_of(x);
    const Steps whole = all_steps(x);
    Dims rest;
    Steps rest_steps;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(i)) != axes.end()) continue;
        rest.push_back(shape[i]);
        rest_steps.push_back(whole[i]);
    }
    AxisOrder order = shape::keep_order(fancy, steps), rest_order = shape::like_order(rest_steps);
    // Beside more than one element for each place the places are in C order.
    if (!order.empty() && !rest.empty() && !arithmetic().equal(arithmetic().product(rest), Dim(1))) order = {};
    const bool is_plain = order.empty();
    for (std::size_t i = 0; is_plain && i < fancy; ++i) order.push_back(static_cast<std::int64_t>(i));
    const auto own = [&](std::int64_t axis) { return axis < place ? axis : axis + static_cast<std::int64_t>(fancy); };
    for (std::int64_t& axis : order) axis += place;
    for (std::size_t i = 0; i < rest.size(); ++i) order.push_back(own(rest_order.empty() ? static_cast<std::int64_t>(i) : rest_order[i]));
    return std::is_sorted(order.begin(), order.end()) ? AxisOrder() : order;
}

AxisOrder stack_order(std::span<const array> operands, std::span<const int> cores, int core) {
    std::size_t rank = 0;
    for (std::size_t i = 0; i < operands.size(); ++i) rank = std::max(rank, static_cast<std::size_t>(operands[i].ndim() - cores[i]));
    if (rank < 2 || std::ranges::all_of(operands, [](const array& each) { return is_descending(each, false); })) return {};
    std::vector<Steps> steps;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const Steps own = steps_of(operands[i]);
        const std::size_t count = static_cast<std::size_t>(operands[i].ndim() - cores[i]);
        steps.push_back(Steps(rank - count, -1));
        for (std::size_t axis = 0; axis < count; ++axis) steps.back().push_back(own[axis]);
    }
    AxisOrder order = shape::keep_order(rank, steps);
    for (int i = 0; !order.empty() && i < core; ++i) order.push_back(static_cast<std::int64_t>(rank) + i);
    return order;
}

AxisOrder common_order(std::span<const eager::View> views, bool are_cast) {
    bool descending = true;
    for (const eager::View& view : views) descending = descending && (view.shape.size() < 2 || shape::is_descending(view.shape, view.strides));
    if (descending) return {};
    if (!are_cast && are_one_f_run(views)) return reversed(views[0].shape.size());
    std::vector<Steps> steps;
    for (const eager::View& view : views) steps.push_back(steps_of(view));
    return shape::keep_order(views[0].shape.size(), steps);
}

AxisOrder common_order(const Shape& shape, std::span<const device::Memory* const> operands, bool are_cast) {
    if (shape.size() < 2) return {};
    std::vector<eager::View> views;
    for (const device::Memory* memory : operands) {
        views.push_back({nullptr, Dtype::bool_, shape, Strides(shape.size(), 0)});
        if (memory == nullptr) continue;
        views.back().dtype = memory->dtype;
        views.back().strides = shape::broadcast_strides(memory->shape, memory->strides, shape);
    }
    return common_order(views, are_cast);
}

AxisOrder result_order(Op op, const ir::Attributes& attributes, std::span<const eager::View> operands) {
    if (!ops::keeps_order(op) || operands.empty() || operands[0].shape.size() < 2) return {};
    return order_for(op, attributes, operands);
}

AxisOrder result_order(Op op, const ir::Attributes& attributes, std::span<const array> operands) {
    if (!ops::keeps_order(op) || operands.empty() || operands[0].ndim() < 2) return {};
    return order_for(op, attributes, operands);
}

}  // namespace fastnp::api
