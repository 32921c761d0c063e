// apply(): the one place where an op is run, or recorded.
#include <array>
#include <vector>

#include "api/body.h"
#include "api/primitives.h"
#include "eager/eager.h"
#include "fastnp/error.h"
#include "ops/infer.h"
#include "shape/order.h"
#include "shape/strides.h"

namespace fastnp::api {

using device::Memory;
using ir::Op;
using trace::Recorder;

array wrap(Memory memory, bool writable) {
    auto body = std::make_shared<detail::ArrayBody>();
    body->memory = std::move(memory);
    body->writable = writable;
    return array(std::move(body));
}

array wrap(ir::Value value, std::shared_ptr<Recorder> recorder, const shape::AxisOrder& order) {
    auto storage = std::make_shared<trace::Storage>(trace::Storage{-1, value, order});
    return wrap(value, std::move(recorder), std::move(storage), {shape::steps_of(value->shape.size(), order), true});
}

array wrap(ir::Value value, std::shared_ptr<Recorder> recorder, trace::StoragePtr storage, shape::AxisLayout layout) {
    auto body = std::make_shared<detail::ArrayBody>();
    for (std::size_t i = 0; i < layout.steps.size(); ++i) {
        if (value->shape[i] == shape::Dim(1)) layout.steps[i] = 0;
    }
    body->memory.dtype = value->dtype;
    body->value = value;
    body->recorder = std::move(recorder);
    body->storage = std::move(storage);
    body->layout = std::move(layout);
    return array(std::move(body));
}

Memory allocate(Dtype dtype, const Shape& shape, const shape::AxisOrder& order) {
    Memory memory;
    memory.buffer = device::Buffer::allocate(shape::byte_count(shape, itemsize_of(dtype)));
    memory.data = memory.buffer->data();
    memory.dtype = dtype;
    memory.shape = shape;
    memory.strides = shape::strides_in(shape, order, itemsize_of(dtype));
    return memory;
}

namespace {

// NumPy's order "K" for what is computed of these.
shape::AxisOrder order_of(std::span<const eager::View> views) {
    bool descending = true;
    for (const eager::View& view : views) descending = descending && (view.shape.size() < 2 || shape::is_descending(view.shape, view.strides));
    if (descending) return {};
    std::vector<shape::Steps> steps;
    for (const eager::View& view : views) steps.push_back(shape::steps_of(view.shape, view.strides));
    return shape::keep_order(views[0].shape.size(), steps);
}

}  // namespace

shape::AxisLayout layout_of(const array& x) {
    const Memory& memory = x.body()->memory;
    return x.is_recorded() ? x.body()->layout : shape::axis_layout_of(memory.shape, memory.strides, itemsize_of(memory.dtype));
}

shape::AxisOrder order_of(const array& x) { return shape::like_order(layout_of(x).steps); }

Memory allocate_like(Dtype dtype, const Shape& shape, std::span<const eager::View> views) { return allocate(dtype, shape, order_of(views)); }

shape::Sizes* active_sizes() {
    Recorder* recorder = Recorder::active();
    return recorder == nullptr ? nullptr : &recorder->graph().sizes();
}

void check_alive(const array& x) {
    const detail::ArrayBody& body = *x.body();
    if (body.value == nullptr || body.recorder.get() == Recorder::active()) return;
    if (Recorder::active() != nullptr) throw RecordError("an array of one recording was used in another");
    throw RecordError(
        "an array that stands for a value inside a compiled function was used after its recording ended; return it from the "
        "function instead of keeping it");
}

shape::Dims dims_of(const array& x) {
    if (!x.is_recorded()) return shape::to_dims(x.body()->memory.shape);
    check_alive(x);
    return x.body()->value->shape;
}

const Memory& memory_of(const array& x, const char* what) {
    if (x.is_recorded()) {
        check_alive(x);
        throw RecordError(std::string(what) + " can't be recorded: inside a compiled function the array stands for a value that is not computed yet");
    }
    return x.body()->memory;
}

void refuse_while_recording(const char* what) {
    if (Recorder::active() != nullptr) throw RecordError(std::string(what) + " can't be recorded yet");
}

eager::View view_of(const Memory& memory) { return {memory.data, memory.dtype, memory.shape, memory.strides}; }

namespace {

ir::Value value_of(Recorder& recorder, const array& x) {
    check_alive(x);
    return x.is_recorded() ? x.body()->value : recorder.capture(x.body()->memory);
}

// Ops whose result is laid out as a copy of the first operand.
bool is_copied(Op op) { return op == Op::cast || op == Op::sort || op == Op::pad; }

// As numpy.ndarray.astype and numpy.sort; numpy.pad knows two orders.
shape::AxisOrder copied_order(Op op, const shape::AxisLayout& layout) {
    const bool c_order = op == Op::pad && (is_c_contiguous(layout) || !is_f_contiguous(layout));
    return c_order ? shape::AxisOrder{} : shape::like_order(layout.steps);
}

// How a move's result lies in its operand's memory. A reshape is taken to give C order: of memory in another one it is a copy but for splits.
shape::AxisLayout moved(Op op, const ir::Attributes& attributes, const shape::AxisLayout& layout, const shape::Dims& shape) {
    const std::size_t rank = shape.size();
    const shape::Steps& from = layout.steps;
    shape::AxisLayout result{{}, layout.dense && op != Op::slice && op != Op::broadcast_to};
    shape::Steps& steps = result.steps;
    switch (op) {
        case Op::transpose:
            for (const std::int64_t axis : attributes.ints) steps.push_back(from[static_cast<std::size_t>(axis)]);
            return result;
        case Op::slice: steps = from; return result;
        case Op::broadcast_to:
            steps.resize(rank - from.size(), 0);
            for (const std::int64_t step : from) steps.push_back(step);
            return result;
        case Op::expand_dims: {
            steps.resize(rank, -1);
            for (const std::int64_t place : attributes.ints) steps[static_cast<std::size_t>(place)] = 0;
            std::size_t at = 0;
            for (std::int64_t& step : steps) step = step < 0 ? from[at++] : 0;
            return result;
        }
        case Op::squeeze: {
            SmallVector<bool> gone(from.size(), false);
            for (const std::int64_t place : attributes.ints) gone[static_cast<std::size_t>(place)] = true;
            for (std::size_t i = 0; i < from.size(); ++i) {
                if (!gone[i]) steps.push_back(from[i]);
            }
            return result;
        }
        default: return {shape::steps_of(rank, shape::AxisOrder{}), true};
    }
}

// As result_order, for a recorded op.
shape::AxisOrder recorded_order(Op op, const ir::Attributes& attributes, std::span<const array> operands) {
    if (!ops::keeps_order(op) || operands.empty()) return {};
    std::vector<shape::Steps> steps;
    if (is_copied(op)) return copied_order(op, layout_of(operands[0]));
    for (const array& operand : operands) steps.push_back(layout_of(operand).steps);
    const std::size_t rank = steps[0].size();
    const shape::AxisOrder order = shape::keep_order(rank, steps);
    if (ops::info(op).kind != ops::Kind::fold) return order;
    return shape::without_axes(order, rank, {attributes.ints.data(), attributes.ints.size()});
}

array record(Recorder& recorder, Op op, ir::Attributes attributes, std::span<const array> operands) {
    std::vector<ir::Value> inputs;
    std::vector<ops::Type> types;
    inputs.reserve(operands.size());
    types.reserve(operands.size());
    for (const array& operand : operands) {
        inputs.push_back(value_of(recorder, operand));
        types.push_back({inputs.back()->dtype, inputs.back()->shape});
    }
    ops::Type type = ops::infer(op, attributes, types, &recorder.graph().sizes());
    const ir::Value value = recorder.graph().make(op, inputs, attributes, type.dtype, std::move(type.shape));
    if (ops::info(op).kind == ops::Kind::move) {
        trace::StoragePtr storage = operands[0].is_recorded() ? operands[0].body()->storage : recorder.storage_of(inputs[0]);
        return wrap(value, recorder.shared_from_this(), std::move(storage), moved(op, attributes, layout_of(operands[0]), value->shape));
    }
    return wrap(value, recorder.shared_from_this(), recorded_order(op, attributes, operands));
}

// The result of a move as another view of the operand's memory, where strides can say it.
bool move_strides(Op op, const ir::Attributes& attributes, const Memory& from, Memory& to) {
    const std::size_t rank = from.shape.size();
    const auto contains = [&](std::size_t place) {
        for (const std::int64_t each : attributes.ints) {
            if (each == static_cast<std::int64_t>(place)) return true;
        }
        return false;
    };
    switch (op) {
        case Op::transpose:
            for (const std::int64_t axis : attributes.ints) to.strides.push_back(from.strides[static_cast<std::size_t>(axis)]);
            return true;
        case Op::broadcast_to: to.strides = shape::broadcast_strides(from.shape, from.strides, to.shape); return true;
        case Op::slice: {
            std::int64_t offset = 0;
            for (std::size_t i = 0; i < rank; ++i) {
                offset += attributes.dims[i].value() * from.strides[i];
                to.strides.push_back(from.strides[i] * attributes.ints[i]);
            }
            if (shape::count(to.shape) != 0) to.data = static_cast<char*>(from.data) + offset;
            return true;
        }
        case Op::expand_dims:
            for (std::size_t i = 0, at = 0; i < to.shape.size(); ++i) to.strides.push_back(contains(i) ? 0 : from.strides[at++]);
            return true;
        case Op::squeeze:
            for (std::size_t i = 0; i < rank; ++i) {
                if (!contains(i)) to.strides.push_back(from.strides[i]);
            }
            return true;
        case Op::reshape:
            if (auto strides = shape::reshaped(from.shape, from.strides, to.shape, itemsize_of(from.dtype))) {
                to.strides = std::move(*strides);
                return true;
            }
            return false;
        default: return false;
    }
}

// The order of a result's axes in memory, which for some ops follows the operands'.
shape::AxisOrder result_order(Op op, const ir::Attributes& attributes, std::span<const eager::View> views) {
    if (!ops::keeps_order(op) || views.empty() || views[0].shape.size() < 2) return {};
    if (is_copied(op)) return copied_order(op, shape::axis_layout_of(views[0].shape, views[0].strides, itemsize_of(views[0].dtype)));
    const shape::AxisOrder order = order_of(views);
    if (ops::info(op).kind != ops::Kind::fold) return order;
    return shape::without_axes(order, views[0].shape.size(), {attributes.ints.data(), attributes.ints.size()});
}

array run(Op op, const ir::Attributes& attributes, std::span<const array> operands) {
    std::vector<ops::Type> types;
    types.reserve(operands.size());
    for (const array& operand : operands) types.push_back({operand.dtype(), shape::to_dims(operand.body()->memory.shape)});
    const ops::Type type = ops::infer(op, attributes, types, nullptr);
    const Shape shape = shape::concrete(type.shape);
    if (ops::info(op).kind == ops::Kind::move) {
        const Memory& from = operands[0].body()->memory;
        Memory to{from.buffer, from.data, from.dtype, shape, {}};
        if (move_strides(op, attributes, from, to)) return wrap(std::move(to), operands[0].writable() && op != Op::broadcast_to);
    }
    if (ops::info(op).kind == ops::Kind::move) {  // a reshape of memory that strides can't show in that order
        Memory out = allocate(type.dtype, shape);
        Memory copy = allocate(type.dtype, operands[0].body()->memory.shape);
        copy.buffer = out.buffer;
        copy.data = out.data;
        eager::copy(view_of(operands[0].body()->memory), view_of(copy));
        return wrap(std::move(out));
    }
    std::vector<eager::View> views;
    views.reserve(operands.size());
    for (const array& operand : operands) views.push_back(view_of(operand.body()->memory));
    Memory out = allocate(type.dtype, shape, result_order(op, attributes, views));
    const eager::View result = view_of(out);
    if (op == Op::cast) eager::copy(views[0], result);
    else eager::run(op, attributes, views, result);
    return wrap(std::move(out));
}

}  // namespace

array apply(Op op, ir::Attributes attributes, std::span<const array> operands) {
    if (Recorder* recorder = Recorder::active()) return record(*recorder, op, std::move(attributes), operands);
    for (const array& operand : operands) check_alive(operand);
    return run(op, attributes, operands);
}

}  // namespace fastnp::api
