#include "api/layout.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "ops/catalogue.h"
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
    // An axis of one element has no say. One that has one element in this call alone has: by its step, unless that is another axis's too.
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (sizes.hint(shape[i]) == 0 && steps.size() > 1) sizes.equal(shape[i], Dim(0));  // no steps to go by for other sizes
        if (sizes.hint(shape[i]) != 1) continue;
        const bool is_alone = std::count(steps.begin(), steps.end(), steps[i]) == 1;
        if (shape[i].is_constant() || (!is_alone && sizes.equal(shape[i], Dim(1)))) steps[i] = -1;
    }
    return steps;
}

Steps steps_of(const eager::View& view) { return shape::steps_of(view.shape, view.strides); }

bool lies_in_order(const array& x, bool c_order) {
    const detail::ArrayBody& body = *x.body();
    shape::Sizes& sizes = body.recorder->graph().sizes();
    const Dims& shape = body.value->shape;
    Dim step(static_cast<std::int64_t>(itemsize_of(body.value->dtype)));
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const std::size_t axis = c_order ? shape.size() - 1 - i : i;
        if (shape[axis] == Dim(1)) continue;
        if (!sizes.equal(body.strides[axis], step)) return false;
        step = sizes.multiply(step, shape[axis]);
    }
    return true;
}

bool is_f(const eager::View& view) { return shape::is_f_contiguous(view.shape, view.strides, itemsize_of(view.dtype)); }
bool is_f(const array& x) { return lies_in_f_order(x); }
bool is_c(const array& x) { return lies_in_c_order(x); }
bool is_c(const eager::View& view) { return shape::is_c_contiguous(view.shape, view.strides, itemsize_of(view.dtype)); }

// As result_order says: of views, or of arrays.
template <class Operand>
AxisOrder order_for(Op op, const ir::Attributes& attributes, std::span<const Operand> operands) {
    if (op == Op::pad && (is_c(operands[0]) || !is_f(operands[0]))) return {};  // numpy.pad knows two orders
    if (op == Op::sort || op == Op::pad) return shape::like_order(steps_of(operands[0]));
    std::vector<Steps> steps;
    for (const Operand& operand : operands) steps.push_back(steps_of(operand));
    const std::size_t rank = steps[0].size();
    if (op == Op::concatenate) return shape::join_order(rank, steps);
    const AxisOrder order = shape::keep_order(rank, steps);
    if (ops::info(op).kind != ops::Kind::fold) return order;
    return shape::without_axes(order, rank, {attributes.ints.data(), attributes.ints.size()});
}

}  // namespace

Dims strides_of(const array& x) { return x.is_recorded() ? x.body()->strides : shape::to_dims(x.body()->memory.strides); }

Dims ordered_strides(const Dims& shape, const AxisOrder& order, Dtype dtype, shape::Sizes& sizes) {
    Dims strides(shape.size(), Dim(0));
    Dim step(static_cast<std::int64_t>(itemsize_of(dtype)));
    for (std::size_t i = shape.size(); i-- > 0;) {
        const std::size_t axis = order.empty() ? i : static_cast<std::size_t>(order[i]);
        strides[axis] = step;
        step = sizes.multiply(step, shape[axis]);
    }
    return strides;
}

AxisOrder order_of(const array& x) { return shape::like_order(steps_of(x)); }

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

AxisOrder common_order(std::span<const eager::View> views) {
    bool descending = true;
    for (const eager::View& view : views) descending = descending && (view.shape.size() < 2 || shape::is_descending(view.shape, view.strides));
    if (descending) return {};
    std::vector<Steps> steps;
    for (const eager::View& view : views) steps.push_back(steps_of(view));
    return shape::keep_order(views[0].shape.size(), steps);
}

AxisOrder result_order(Op op, const ir::Attributes& attributes, std::span<const eager::View> operands) {
    if (!ops::keeps_order(op) || operands.empty() || operands[0].shape.size() < 2) return {};
    return order_for(op, attributes, operands);
}

AxisOrder result_order(Op op, const ir::Attributes& attributes, std::span<const array> operands) {
    if (!ops::keeps_order(op) || operands.empty() || operands[0].ndim() < 2) return {};
    AxisOrder order = order_for(op, attributes, operands);
    if (order.empty()) return order;
    // Off C order, an axis that happens to have one element now has no say: the recording is tied to that.
    const auto is_one_now = [](const array& x) {
        if (!x.is_recorded()) return false;
        bool any = false;
        for (const Dim dim : x.body()->value->shape) any = (!dim.is_constant() && x.body()->recorder->graph().sizes().equal(dim, Dim(1))) || any;
        return any;
    };
    bool again = false;
    for (const array& operand : operands) again = is_one_now(operand) || again;
    return again ? order_for(op, attributes, operands) : order;
}

}  // namespace fastnp::api
