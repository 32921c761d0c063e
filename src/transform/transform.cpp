// The doors of this room (fastnp/detail/transform.h).
#include "fastnp/detail/transform.h"

#include <algorithm>
#include <unordered_set>

#include "api/user_sizes.h"
#include "fastnp/detail/size.h"
#include "fastnp/error.h"
#include "fastnp/transform.h"
#include "ops/infer.h"
#include "transform/batch.h"
#include "transform/custom.h"
#include "transform/forward.h"
#include "transform/reverse.h"

namespace fastnp {

namespace {

using transform::Value;

std::vector<Value> values_of(std::span<const array> arrays) {
    std::vector<Value> values;
    for (const array& each : arrays) values.push_back(transform::value_of(each));
    return values;
}

array with_strides(Value value, shape::Dims strides) {
    auto storage = std::make_shared<trace::Storage>(trace::Storage{-1, value, {}, false});
    return api::wrap(value, transform::recorder().shared_from_this(), std::move(storage), std::move(strides));
}

array noted(ir::Op op, const array& x, std::optional<std::int64_t> number) {
    trace::Recorder& recorder = transform::recorder();
    ir::Attributes attributes;
    if (number) attributes.ints.push_back(*number);
    const Value input[] = {transform::value_of(x)};
    const Value value = recorder.graph().make(op, input, std::move(attributes), input[0]->dtype, input[0]->shape);
    return with_strides(value, api::strides_of(x));
}

}  // namespace

namespace detail {

array value_now(const array& x) {
    api::check_alive(x);
    trace::Recorder& recorder = transform::recorder();
    if (!recorder.is_once()) throw RecordError("reads all values of an array");
    return api::wrap(recorder.value_now(transform::value_of(x)), false);
}

void unrecorded(const std::function<void()>& body) {
    const trace::Recorder::Scope meanwhile(nullptr);
    body();
}

array value_at_hand(const array& x) { return x.is_recorded() ? api::wrap(transform::recorder().value_now(transform::value_of(x)), false) : x; }

namespace {

// `ends_at`: an op whose operands are not looked at.
bool depends_on_op(const array& x, std::initializer_list<ir::Op> ops, std::optional<ir::Op> ends_at = std::nullopt) {
    std::vector<Value> open{transform::value_of(x)};
    std::unordered_set<Value> seen;
    while (!open.empty()) {
        const Value value = open.back();
        open.pop_back();
        if (value->op == ends_at || !seen.insert(value).second) continue;
        if (std::find(ops.begin(), ops.end(), value->op) != ops.end()) return true;
        open.insert(open.end(), value->inputs.begin(), value->inputs.end());
    }
    return false;
}

}  // namespace

bool is_differentiated(const array& x) { return is_inexact(x.dtype()) && depends_on_op(x, {ir::Op::mark, ir::Op::example}, ir::Op::stop_gradient); }

bool is_marked(const array& x) { return x.is_recorded() && is_inexact(x.dtype()) && depends_on_op(x, {ir::Op::mark}, ir::Op::stop_gradient); }

bool is_mapped(const array& x) { return x.is_recorded() && depends_on_op(x, {ir::Op::example}); }

bool is_same_value(const array& x, const array& y) { return transform::value_of(x) == transform::value_of(y); }

bool depends_on(const array& x, std::span<const array> others) {
    const Value end[] = {transform::value_of(x)};
    return !transform::Segment(values_of(others), end).values().empty();
}

array mark(const array& x) {
    if (!is_inexact(x.dtype())) {
        throw TypeError("derivatives are taken with respect to floating and complex arrays, not to one of dtype " + std::string(name_of(x.dtype())));
    }
    return noted(ir::Op::mark, x, transform::recorder().graph().next_owner());
}

array input_of(const array& marked) { return with_strides(transform::value_of(marked), api::strides_of(marked)); }

void write_back(const array& x, const array& marked, const array& input) {
    const Value now = transform::value_of(input);
    if (now == transform::value_of(marked)) return;
    const trace::Recorder::LateWrites late(transform::recorder());
    api::assign(x, transform::array_of(now));
}

namespace {

// Results lie apart from each other, whatever of them is equal or a view of another: what is written into one is not seen in the others.
std::vector<array> each_apart(std::vector<array> results) {
    trace::Recorder& recorder = transform::recorder();
    std::unordered_set<trace::StoragePtr> taken;
    for (array& each : results) {
        if (!taken.insert(api::storage_of(recorder, each)).second) each = each.copy(Order::keep);  // recorded, that costs nothing by itself
    }
    return results;
}

}  // namespace

std::vector<array> pull_back(std::span<const array> marks, std::span<const array> outputs, std::span<const array> cotangents) {
    const std::vector<Value> from = values_of(marks), to = values_of(outputs);
    transform::Reverse reverse(from, to);
    for (std::size_t i = 0; i < to.size(); ++i) reverse.add(to[i], cotangents[i]);
    reverse.run();
    std::vector<array> found;
    for (const Value value : from) found.push_back(reverse.cotangent(value));
    return each_apart(std::move(found));
}

std::vector<array> push_forward(std::span<const array> marks, std::span<const array> outputs, std::span<const array> tangents) {
    const std::vector<Value> from = values_of(marks), to = values_of(outputs);
    transform::Forward forward(from, to);
    for (std::size_t i = 0; i < from.size(); ++i) forward.set(from[i], tangents[i]);
    forward.run();
    std::vector<array> found;
    for (const Value value : to) found.push_back(forward.tangent(value));
    return each_apart(std::move(found));
}

std::vector<Kind> kinds_of(std::span<const array> arrays) {
    std::vector<Kind> kinds;
    for (const array& each : arrays) kinds.push_back({each.dtype(), symbolic_shape(each)});
    return kinds;
}

static std::string shape_text(const Shape& shape) {
    shape::Dims dims;
    for (const std::int64_t size : shape) dims.push_back(api::size_given(size));
    return ops::shape_text(dims, api::active_sizes());
}

std::vector<array> as_changes(std::string_view function, std::string_view what, std::span<const array> given, std::span<const Kind> kinds) {
    const std::string name = std::string(function) + ": ";
    if (given.size() != kinds.size())
        throw ValueError(name + std::to_string(given.size()) + " " + std::string(what) + "s for " + std::to_string(kinds.size()) + " arrays");
    std::vector<array> made;
    for (std::size_t i = 0; i < given.size(); ++i) {
        const Shape shape = symbolic_shape(given[i]);
        const auto are_same = [](std::int64_t a, std::int64_t b) { return is_symbolic(a) || is_symbolic(b) ? sizes_equal(a, b) : a == b; };
        if (!std::equal(shape.begin(), shape.end(), kinds[i].shape.begin(), kinds[i].shape.end(), are_same))
            throw ValueError(name + "a " + std::string(what) + " of shape " + shape_text(shape) + " for an array of shape " + shape_text(kinds[i].shape));
        made.push_back(given[i].dtype() == kinds[i].dtype ? given[i] : given[i].astype(kinds[i].dtype, Casting::same_kind));
    }
    return made;
}

array example(const array& x, int axis) {
    trace::Recorder& recorder = transform::recorder();
    const auto place = static_cast<std::size_t>(axis);
    ir::Attributes attributes;
    recorder.note_example();
    attributes.ints.push_back(recorder.graph().next_owner());
    attributes.dtype = x.dtype();
    attributes.dims = api::dims_of(x);
    attributes.dims.erase(attributes.dims.begin() + place);
    shape::Dims strides = api::strides_of(x);
    strides.erase(strides.begin() + place);
    const shape::Dims shape = attributes.dims;
    return with_strides(recorder.graph().make(ir::Op::example, {}, std::move(attributes), x.dtype(), shape), std::move(strides));
}

namespace {

// What may raise for one part is left out, since it is there for all parts.
void take_effects(std::span<const Value> examples) {
    trace::Recorder& recorder = transform::recorder();
    const transform::Segment segment(examples, recorder.effects());
    for (const Value value : recorder.effects()) {
        if (segment.contains(value) && value->op == ir::Op::update) {
            throw TypeError("vmap: the function writes values that differ from part to part into an array from outside");
        }
    }
    recorder.drop_effects([&](Value value) { return segment.contains(value); });
}

}  // namespace

std::vector<array> batch(std::span<const array> examples, std::span<const array> arrays, std::span<const int> axes, std::span<const array> outputs,
                         std::int64_t number) {
    const std::vector<Value> from = values_of(examples), to = values_of(outputs);
    take_effects(from);
    transform::Batch batch(from, to, api::dims_of(arrays[0])[static_cast<std::size_t>(axes[0])], number);
    for (std::size_t i = 0; i < from.size(); ++i) batch.set(from[i], moveaxis(arrays[i], axes[i], 0));
    batch.run();
    std::vector<array> found;
    for (const Value value : to) found.push_back(batch.parts(value));
    return each_apart(std::move(found));
}

namespace {

// The identity matrix over an array's elements: (elements, *shape).
array units(const array& like) {
    const shape::Dims shape = api::dims_of(like);
    const shape::Dim count = api::arithmetic().product(shape);
    const array numbers = api::iota({count, count}, 0) == api::iota({count, count}, 1);
    return api::reshape(api::cast(numbers, like.dtype()), transform::with_first(count, shape));
}

shape::Dims joined(const array& first, const array& second) {
    shape::Dims all = api::dims_of(first);
    for (const shape::Dim dim : api::dims_of(second)) all.push_back(dim);
    return all;
}

}  // namespace

array jacobian_columns(const array& mark, const array& output) {
    const array directions = units(mark), direction = example(directions, 0);
    const int axes[] = {0};
    const std::vector<array> change = push_forward({&mark, 1}, {&output, 1}, {&direction, 1});
    const array columns = batch({&direction, 1}, {&directions, 1}, axes, change)[0];
    return api::reshape(moveaxis(columns, 0, -1), joined(output, mark));
}

namespace {

// Whether forward mode goes all the way: no function on it has a derivative for reverse mode alone.
bool goes_forward(const array& mark, const array& output) {
    const Value from[] = {transform::value_of(mark)}, to[] = {transform::value_of(output)};
    const transform::Segment segment(from, to, transform::Segment::Of::derivatives);
    return std::none_of(segment.values().begin(), segment.values().end(),
                        [](Value value) { return value->op == ir::Op::custom && !transform::custom_of(transform::recorder(), *value).forward; });
}

}  // namespace

// With respect to a single number there is one column, in which no element's derivative meets another's.
array jacobian_rows(const array& mark, const array& output) {
    if (mark.ndim() == 0 && goes_forward(mark, output)) return jacobian_columns(mark, output);
    const array directions = units(output), direction = example(directions, 0);
    const int axes[] = {0};
    const std::vector<array> gradient = pull_back({&mark, 1}, {&output, 1}, {&direction, 1});
    return api::reshape(batch({&direction, 1}, {&directions, 1}, axes, gradient)[0], joined(output, mark));
}

array apart(const array& x) {
    trace::Recorder& recorder = transform::recorder();
    return transform::array_of(trace::placed_copy(recorder.graph(), transform::value_of(x), {}, recorder.graph().next_owner()));
}

void check_scalar(const array& value) {
    if (value.ndim() != 0) {
        throw ValueError("grad: the function's result must be a single element, not an array of shape " +
                         ops::shape_text(api::dims_of(value), api::active_sizes()) + "; jacrev() or vjp() are for those");
    }
    if (kind_of(value.dtype()) != 'f') {
        throw TypeError("grad: the function's result must be a real floating number, not one of dtype " + std::string(name_of(value.dtype())));
    }
}

std::vector<array> with_derivative(std::span<const array> operands, std::span<const array> results, CustomDerivative derivative) {
    trace::Recorder& recorder = transform::recorder();
    auto custom = std::make_shared<transform::Custom>();
    static_cast<CustomDerivative&>(*custom) = std::move(derivative);
    const auto number = static_cast<std::int64_t>(recorder.keep(custom));
    const std::vector<Value> inputs = values_of(operands);
    const std::vector<Value> computed = values_of(results);
    std::vector<array> given;
    for (const Value result : computed) {
        std::vector<Value> all{result};
        all.insert(all.end(), inputs.begin(), inputs.end());
        ir::Attributes attributes;
        attributes.ints = {number, static_cast<std::int64_t>(given.size())};
        custom->results.push_back(recorder.graph().make(ir::Op::custom, all, std::move(attributes), result->dtype, result->shape));
        given.push_back(api::laid_out(transform::array_of(custom->results.back()), api::order_of(results[given.size()])));
    }
    return given;
}

}  // namespace detail

array stop_gradient(const array& x) {
    if (trace::Recorder::active() == nullptr) return x;
    const array constant = noted(ir::Op::stop_gradient, x, std::nullopt);
    constant.body()->writable = false;
    return constant;
}

}  // namespace fastnp
