// apply(): the one place where an op is run, or recorded.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "api/at_device.h"
#include "api/body.h"
#include "api/layout.h"
#include "api/primitives.h"
#include "device/movable.h"
#include "device/registry.h"
#include "eager/eager.h"
#include "fastnp/error.h"
#include "ops/collective.h"
#include "ops/infer.h"
#include "pass/index_map.h"
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
    auto storage = std::make_shared<trace::Storage>(trace::Storage{-1, value, order, false});
    shape::Dims strides = ordered_strides(value->shape, order, value->dtype, recorder->graph().sizes());
    return wrap(value, std::move(recorder), std::move(storage), std::move(strides));
}

array wrap(ir::Value value, std::shared_ptr<Recorder> recorder, trace::StoragePtr storage, shape::Dims strides) {
    auto body = std::make_shared<detail::ArrayBody>();
    body->memory.dtype = value->dtype;
    body->value = value;
    if (recorder->watches_handles()) recorder->note_handle(body);
    body->whole = storage->whole;
    body->recorder = std::move(recorder);
    body->storage = std::move(storage);
    body->strides = std::move(strides);
    return array(std::move(body));
}

Memory allocate(Dtype dtype, const Shape& shape, const shape::AxisOrder& order) { return allocate_at(device::current_backend(), dtype, shape, order); }

shape::Sizes* active_sizes() {
    Recorder* recorder = Recorder::active();
    return recorder == nullptr ? nullptr : &recorder->graph().sizes();
}

void check_alive(const array& x) {
    const detail::ArrayBody& body = *x.body();
    if (body.value == nullptr || body.recorder.get() == Recorder::active()) return;
    if (Recorder* recorder = Recorder::active()) recorder->refuse(RecordError("an array of one recording was used in another"));
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
        Recorder::active()->refuse(
            RecordError(std::string(what) + " can't be recorded: inside a compiled function the array stands for a value that is not computed yet"));
    }
    return x.body()->memory;
}

eager::View view_of(const Memory& memory) {
    device::use_on_host(memory.data, device::Access::read);
    return {memory.data, memory.dtype, memory.shape, memory.strides};
}

trace::StoragePtr storage_of(Recorder& recorder, const array& x) {
    check_alive(x);
    if (!x.is_recorded()) return recorder.storage_of(recorder.capture(x.body()->memory));
    recorder.refresh(*x.body()->storage);
    return x.body()->storage;
}

ir::Value value_of(Recorder& recorder, const array& x) {
    const trace::StoragePtr storage = storage_of(recorder, x);
    if (!x.is_recorded()) return storage->whole;
    detail::ArrayBody& body = *x.body();
    if (body.whole != storage->whole) {
        body.value = trace::rebase(recorder.graph(), body.value, body.whole, storage->whole);
        body.whole = storage->whole;
    }
    return body.value;
}

array recorded_part(const array& x, Op part) {
    check_alive(x);
    Recorder& recorder = *Recorder::active();
    const ir::Value numbers[] = {value_of(recorder, x)};
    recorder.note_line();
    const ir::Value value = recorder.graph().make(part, numbers, {}, real_of(x.dtype()), numbers[0]->shape);
    array view = wrap(value, recorder.shared_from_this(), x.body()->storage, x.body()->strides);
    view.body()->writable = x.writable();
    view.body()->stays_read_only = x.body()->stays_read_only;
    return view;
}

namespace {

// A chain without the op that takes parts.
ir::Value without_part(ir::Graph& graph, ir::Value value, ir::Value whole, Op& part) {
    if (value == whole) return whole;
    const ir::Value inner = without_part(graph, value->inputs[0], whole, part);
    const ir::At at(graph, value);
    if (value->op == Op::real || value->op == Op::imag) {
        part = value->op;
        return inner;
    }
    return graph.make(value->op, {&inner, 1}, value->attributes, inner->dtype, value->shape);
}

}  // namespace

std::optional<std::pair<array, Op>> numbers_of(const array& x) {
    Recorder& recorder = *Recorder::active();
    const ir::Value value = value_of(recorder, x);
    const trace::StoragePtr storage = storage_of(recorder, x);
    if (value->dtype == storage->whole->dtype) return std::nullopt;
    Op part = Op::real;
    const ir::Value numbers = without_part(recorder.graph(), value, storage->whole, part);
    array view = wrap(numbers, recorder.shared_from_this(), storage, x.body()->strides);
    view.body()->stays_read_only = x.body()->stays_read_only;
    return std::pair(std::move(view), part);
}

void record_write(Recorder& recorder, const array& out, const array& value) {
    const ir::Value before = value_of(recorder, out);
    const ir::Value after = value_of(recorder, value);
    if (before == after) return;  // what lies there already, as x[i] = x[i] after x[i] += y
    recorder.write(*storage_of(recorder, out), before, after);
}

namespace {

array record(Recorder& recorder, Op op, const ir::Attributes& given, std::span<const array> operands) {
    std::optional<ir::Attributes> numbered;
    if (ops::is_collective(op)) {
        numbered = given;
        numbered->ints[ops::Collective::number] = recorder.graph().next_owner();
    }
    const ir::Attributes& attributes = numbered ? *numbered : given;
    recorder.check_steps();
    recorder.check_allowed(ops::info(op).name);
    recorder.note_line();
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
    if (ops::may_raise(*value)) recorder.effect(value);
    if (ops::info(op).kind == ops::Kind::move) {
        if (auto view = pass::view(*value, {inputs[0], shape::Dim(0), strides_of(operands[0])}, recorder.graph().sizes())) {
            array result = wrap(value, recorder.shared_from_this(), storage_of(recorder, operands[0]), std::move(view->strides));
            result.body()->writable = operands[0].writable() && op != Op::broadcast_to;
            result.body()->stays_read_only = operands[0].body()->stays_read_only;
            return result;
        }
    }
    return wrap(value, recorder.shared_from_this(), result_order(op, attributes, operands));
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
                to.strides.push_back(shape::wrapping_product(from.strides[i], attributes.ints[i]));
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

// The order of a concatenation, which depends on the steps of axes of one element, too: recordings do not tell these apart.
shape::AxisOrder order_of_joined(const ir::Attributes& attributes, std::span<const array> operands) {
    std::vector<eager::View> views;
    for (const array& operand : operands) {
        const Memory& memory = operand.body()->memory;
        views.push_back({memory.data, memory.dtype, memory.shape, memory.strides});
    }
    return result_order(Op::concatenate, attributes, views);
}

constexpr std::size_t most_joined = 64;  // arrays whose sizes one operation of a device follows

std::optional<array> run_there(Op op, const ir::Attributes& attributes, std::span<const array> operands, device::Backend*& device);

// A concatenation of many arrays there: of concatenations of some.
std::optional<array> join_there(const ir::Attributes& attributes, std::span<const array> operands, const shape::AxisOrder& order,
                                device::Backend*& device) {
    std::vector<array> parts;
    for (std::size_t i = 0; i < operands.size(); i += most_joined) {
        auto part = run_there(Op::concatenate, attributes, operands.subspan(i, std::min(most_joined, operands.size() - i)), device);
        if (!part) return std::nullopt;
        parts.push_back(std::move(*part));
    }
    auto joined = run_there(Op::concatenate, attributes, parts, device);
    return joined ? laid_out(*joined, order) : joined;
}

// On a device, if it is to be done on one, which is told in any case, and there is code for it.
std::optional<array> run_there(Op op, const ir::Attributes& attributes, std::span<const array> operands, device::Backend*& device) {
    Operation operation(ops::info(op).name);
    operation.note(attributes.ints.size());
    for (const std::int64_t each : attributes.ints) operation.note(each);
    operation.note(attributes.dtype);
    const bool is_map = ops::info(op).kind == ops::Kind::map;
    SmallVector<int> places;
    int full = -1;  // the place of an operand of a map that has all its sizes; others may be taken as the number that they show
    for (const array& operand : operands) {
        const auto number = is_map ? operation.take_repeated(operand.body()->memory) : std::nullopt;
        operation.note(number.has_value());
        places.push_back(number ? *number : operation.take(operand.body()->memory));
        if (is_map && !number) full = places.back();
    }
    if (is_map && full < 0) full = operation.take_sizes(operands[0].body()->memory.shape);
    if (op == Op::constant) places.push_back(operation.take(attributes.scalar, attributes.dtype));
    const bool are_folded = ops::info(op).kind == ops::Kind::fold || ops::info(op).kind == ops::Kind::contract;
    if (!operands.empty()) operation.note_lengths(operands[0].body()->memory.shape, are_folded);
    const Shape sizes = shape::concrete(attributes.dims);
    int sizes_place = -1;
    if (!sizes.empty()) {
        sizes_place = operation.take_sizes(sizes);
        operation.note_lengths(sizes, false);
    }
    device = operation.device();
    if (device == nullptr) return std::nullopt;
    const shape::AxisOrder joined = op == Op::concatenate ? order_of_joined(attributes, operands) : shape::AxisOrder();
    if (op == Op::concatenate && operands.size() > most_joined) return join_there(attributes, operands, joined, device);
    for (const std::int64_t axis : joined) operation.note(axis);
    std::vector<array> results;
    const auto record = [&](std::span<const array> given) -> std::vector<array> {
        ir::Attributes now = attributes;
        if (sizes_place >= 0) now.dims = dims_of(given[static_cast<std::size_t>(sizes_place)]);
        std::vector<array> inputs;
        for (const int place : places) {
            inputs.push_back(given[static_cast<std::size_t>(place)]);
            if (full >= 0 && place != full) inputs.back() = broadcast(inputs.back(), dims_of(given[static_cast<std::size_t>(full)]));
        }
        if (op == Op::constant) return {broadcast(inputs[0], now.dims).copy()};
        const array made = apply(op, now, inputs);
        return {op == Op::concatenate ? wrap(made.body()->value, made.body()->recorder, joined) : made};
    };
    if (!operation.run(*device, record, results)) return std::nullopt;
    return std::move(results[0]);
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
        const array copy = operands[0].copy();
        const Memory& from = copy.body()->memory;
        Memory to{from.buffer, from.data, from.dtype, shape, {}};
        move_strides(op, attributes, from, to);
        return wrap(std::move(to));
    }
    device::Backend* device = nullptr;
    if (may_be_on_device()) {
        if (auto there = run_there(op, attributes, operands, device)) return std::move(*there);
    }
    std::vector<eager::View> views;
    views.reserve(operands.size());
    for (const array& operand : operands) views.push_back(view_of(operand.body()->memory));
    Memory out = allocate_at(device, type.dtype, shape, result_order(op, attributes, views));
    const eager::View result = view_of(out);
    if (op == Op::cast) eager::copy(views[0], result);
    else eager::run(op, attributes, views, result);
    return wrap(std::move(out));
}

}  // namespace

array apply(Op op, const ir::Attributes& attributes, std::span<const array> operands) {
    if (Recorder* recorder = Recorder::active()) return record(*recorder, op, attributes, operands);
    for (const array& operand : operands) check_alive(operand);
    return run(op, attributes, operands);
}

}  // namespace fastnp::api
