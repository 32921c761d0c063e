// Elementwise functions: what NumPy's ufunc machinery does to operands (loops, casts, broadcasting, out=, where=), once for every map op.
#include <array>
#include <cstring>
#include <optional>

#include "api/at_device.h"
#include "api/layout.h"
#include "api/primitives.h"
#include "device/movable.h"
#include "device/span.h"
#include "eager/eager.h"
#include "fastnp/error.h"
#include "fastnp/ops.h"
#include "ops/element.h"
#include "ops/infer.h"
#include "ops/logical.h"
#include "shape/strides.h"

namespace fastnp {
namespace api {

using device::Memory;
using eager::View;
using ir::Op;
using ops::Loop;
using trace::Recorder;
using Operands = std::span<const Operand* const>;

namespace {

constexpr std::size_t most_operands = 2;

const ir::Attributes no_attributes;

shape::Layout layout_of(const View& view) { return {view.data, view.shape, view.strides, itemsize_of(view.dtype)}; }

// The shapes of concrete operands and whatever else takes part.
using Shapes = SmallVector<const Shape*, 4>;

// Their broadcast shape; in NumPy's words where there is none.
Shape broadcast_shape(const Shapes& shapes) {
    Shape result;
    bool fits = true;
    for (const Shape* shape : shapes) {
        while (result.size() < shape->size()) result.insert(result.begin(), 1);
        for (std::size_t i = 0; i < shape->size(); ++i) {
            const std::int64_t size = (*shape)[i];
            std::int64_t& all = result[result.size() - shape->size() + i];
            fits = fits && (size == all || size == 1 || all == 1);
            if (all == 1) all = size;
        }
    }
    if (fits) return result;
    std::vector<Dims> dims;
    for (const Shape* shape : shapes) dims.push_back(shape::to_dims(*shape));
    return shape::concrete(ops::broadcast(dims, nullptr));
}

Shape result_shape(Operands operands, const array* mask, const array* out) {
    static const Shape scalar;
    Shapes shapes;
    for (const Operand* operand : operands) shapes.push_back(operand->as_array() != nullptr ? &operand->as_array()->body()->memory.shape : &scalar);
    if (out != nullptr) shapes.push_back(&out->body()->memory.shape);
    if (mask != nullptr) shapes.push_back(&mask->body()->memory.shape);
    Shape all = broadcast_shape(shapes);
    if (out == nullptr || all == out->body()->memory.shape) return all;
    const Shape& wanted = out->body()->memory.shape;
    throw ValueError("non-broadcastable output operand with shape " + ops::compact_text(shape::to_dims(wanted)) + " doesn't match the broadcast shape " +
                     ops::compact_text(shape::to_dims(all)));
}

// An operand in the loop's dtype, seen under the result's shape. Conversions and weak scalars live here while the kernel runs.
struct Prepared {
    View view;
    Memory converted;
    Strides given;  // before the conversion
    alignas(16) std::array<std::byte, 16> scalar;

    void prepare(const Operand& operand, Dtype dtype, const Shape& shape) {
        if (const Scalar* weak = operand.as_scalar()) {
            ops::store(ops::convert(*weak, dtype), dtype, scalar.data());
            view = {scalar.data(), dtype, shape, Strides(shape.size(), 0)};
            return;
        }
        const Memory& memory = operand.as_array()->body()->memory;
        device::use_on_host(memory.data, device::Access::read);
        view = {memory.data, memory.dtype, shape, spread(memory, shape)};
        if (memory.dtype == dtype) return;
        const View from = view_of(memory);
        converted = device::allocate(dtype, memory.shape, common_order({&from, 1}));
        eager::copy(from, view_of(converted));
        given = std::move(view.strides);
        view = {converted.data, dtype, shape, spread(converted, shape)};
    }

    static Strides spread(const Memory& memory, const Shape& shape) {
        return memory.shape == shape ? memory.strides : shape::broadcast_strides(memory.shape, memory.strides, shape);
    }
};

void check_output(Op op, Dtype from, const array& out, Casting casting) {
    check_writable(out);
    if (can_cast(from, out.dtype(), casting)) return;
    throw TypeError("Cannot cast ufunc '" + std::string(ops::info(op).name) + "' output from dtype('" + std::string(name_of(from)) + "') to dtype('" +
                    std::string(name_of(out.dtype())) + "') with casting rule '" + std::string(name_of(casting)) + "'");
}

// How a result lies: as the operands were given.
shape::AxisOrder order_of_result(const Shape& shape, std::span<const Prepared> prepared, std::span<const View> views) {
    if (shape.size() < 2 || std::all_of(prepared.begin(), prepared.end(), [](const Prepared& each) { return each.given.empty(); })) {
        return common_order(views);
    }
    std::array<View, most_operands> given;
    for (std::size_t i = 0; i < views.size(); ++i) {
        given[i].shape = shape;
        given[i].strides = prepared[i].given.empty() ? views[i].strides : prepared[i].given;
    }
    return common_order({given.data(), views.size()}, true);
}

View mask_view(const array& mask, const Shape& shape) {
    const Memory& memory = mask.body()->memory;
    device::use_on_host(memory.data, device::Access::read);
    return {memory.data, memory.dtype, shape, shape::broadcast_strides(memory.shape, memory.strides, shape)};
}

void run_into(const View& target, Op op, const Loop& loop, std::span<const View> inputs, const array* mask, const Shape& shape) {
    bool direct = mask == nullptr && target.dtype == loop.output && !shape::repeats(target.shape, target.strides);
    for (const View& input : inputs)
        direct = direct && (shape::is_same(layout_of(input), layout_of(target)) || !shape::may_overlap(layout_of(input), layout_of(target)));
    if (direct) {
        eager::run(op, no_attributes, inputs, target);
        return;
    }
    const Memory result = device::allocate(loop.output, shape);
    eager::run(op, no_attributes, inputs, view_of(result));
    if (mask == nullptr) {
        eager::copy(view_of(result), target);
        return;
    }
    const Memory casted = device::allocate(target.dtype, shape);
    eager::copy(view_of(result), view_of(casted));
    const View choices[] = {mask_view(*mask, shape), view_of(casted), target};
    if (!shape::may_overlap(layout_of(choices[0]), layout_of(target))) {
        eager::run(Op::select, no_attributes, choices, target);
        return;
    }
    const Memory chosen = device::allocate(target.dtype, shape);  // writes to the target would be choices, too
    eager::run(Op::select, no_attributes, choices, view_of(chosen));
    eager::copy(view_of(chosen), target);
}

// By the host. `device`: where the result is at home nevertheless.
array run_on_host(Op op, const Loop& loop, Operands operands, const UfuncOptions& options, const Shape& shape, device::Backend* device) {
    const array* mask = options.where ? &*options.where : nullptr;
    const array* out = options.out ? &*options.out : nullptr;
    std::array<Prepared, most_operands> prepared;
    std::array<View, most_operands> views;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        prepared[i].prepare(*operands[i], loop.operands[i], shape);
        views[i] = prepared[i].view;
    }
    const std::span<const View> inputs(views.data(), operands.size());
    if (out == nullptr) {
        Memory result = allocate_at(device, loop.output, shape, order_of_result(shape, {prepared.data(), operands.size()}, inputs));
        eager::run(op, no_attributes, inputs, view_of(result));
        return wrap(std::move(result));
    }
    const Memory& target = out->body()->memory;
    device::HostWrite write(target);
    run_into(view_of(target), op, loop, inputs, mask, shape);
    write.done();
    if (device != nullptr) device::bring_home(*device, target.data);
    return *out;
}

// A weak scalar under the result's shape: repeated, so that it has no say in the result's layout.
array repeated(const Scalar& value, Dtype dtype, const Dims& shape) {
    const array made = constant(value, dtype, shape);
    const detail::ArrayBody& body = *made.body();
    return wrap(body.value, body.recorder, body.storage, Dims(shape.size(), Dim(0)));
}

// ValueError unless all shapes, out's among them, can be broadcast to that of out=.
void check_output_shape(std::vector<Dims> shapes, const UfuncOptions& options) {
    const Dims wanted = dims_of(*options.out);
    shapes.push_back(wanted);
    if (options.where) shapes.push_back(dims_of(*options.where));
    const Dims all = ops::broadcast(shapes, active_sizes());
    bool same = all.size() == wanted.size();
    for (std::size_t i = 0; same && i < all.size(); ++i) same = active_sizes()->equal(all[i], wanted[i]);
    if (same) return;
    throw ValueError("non-broadcastable output operand with shape " + ops::compact_text(wanted, active_sizes()) + " doesn't match the broadcast shape " +
                     ops::compact_text(all, active_sizes()));
}

// Writes a result into out=, cast and broadcast, where the mask allows.
array record_output(const array& result, const UfuncOptions& options) {
    const array& out = *options.out;
    array value = broadcast(cast(result, out.dtype()), dims_of(out));
    if (options.where) value = select(broadcast(*options.where, dims_of(out)), value, out);
    record_write(*Recorder::active(), out, value);
    return out;
}

array record(Op op, const Loop& loop, Operands operands, const UfuncOptions& options) {
    if (options.out) {
        check_alive(*options.out);
        check_output(op, loop.output, *options.out, options.casting);
    }
    std::vector<Dims> shapes;
    for (const Operand* operand : operands) shapes.push_back(operand->as_array() != nullptr ? dims_of(*operand->as_array()) : Dims());
    if (options.out) check_output_shape(shapes, options);
    if (options.where) shapes.push_back(dims_of(*options.where));
    const Dims shape = ops::broadcast(shapes, active_sizes());
    std::vector<array> inputs;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const array* x = operands[i]->as_array();
        if (x == nullptr) inputs.push_back(repeated(*operands[i]->as_scalar(), loop.operands[i], shape));
        else inputs.push_back(broadcast(converted(*x, loop.operands[i]), shape));
    }
    const array result = apply(op, {}, inputs);
    return options.out ? record_output(result, options) : result;
}

// Whether a device can write into out= while it reads the operands: all the same memory, or none of it.
bool is_written_in_place(const array& out, Operands operands, const array* mask) {
    const Memory& target = out.body()->memory;
    if (!device::can_move(target.data) || shape::repeats(target.shape, target.strides)) return false;
    const shape::Layout to{target.data, target.shape, target.strides, itemsize_of(target.dtype)};
    const auto is_apart = [&](const array* x) {
        if (x == nullptr) return true;
        const Memory& memory = x->body()->memory;
        const shape::Layout from{memory.data, memory.shape, memory.strides, itemsize_of(memory.dtype)};
        return (shape::is_same(from, to) && memory.dtype == target.dtype) || !shape::may_overlap(from, to);
    };
    return is_apart(mask) && std::all_of(operands.begin(), operands.end(), [&](const Operand* operand) { return is_apart(operand->as_array()); });
}

bool is_for_device(Operands operands, const UfuncOptions& options) {
    Operation operation("");
    for (const Operand* operand : operands) {
        if (operand->as_array() != nullptr) operation.take(operand->as_array()->body()->memory);
    }
    if (options.where) operation.take(options.where->body()->memory);
    operation.take(options.out->body()->memory);
    return operation.device() != nullptr;
}

// As one kernel of a device, if it is to be done on one, which is told in any case, and there is code for it.
std::optional<array> run_there(Op op, const Loop& loop, Operands operands, const UfuncOptions& options, const Shape& shape, device::Backend*& device) {
    Operation operation(ops::info(op).name);
    operation.note('u');
    operation.note_lengths(shape, false);
    operation.note(loop.compute);
    operation.note(loop.output);
    operation.note(options.where.has_value());
    operation.note(options.out.has_value());
    std::array<int, most_operands> places{};
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const array* x = operands[i]->as_array();
        operation.note(loop.operands[i]);
        places[i] = x != nullptr ? operation.take(x->body()->memory) : operation.take(*operands[i]->as_scalar(), loop.operands[i]);
    }
    const int mask = options.where ? operation.take(options.where->body()->memory) : -1;
    const int out = options.out ? operation.take_output(options.out->body()->memory) : -1;
    device = operation.device();
    if (device == nullptr) return std::nullopt;
    SmallVector<const Memory*, most_operands> memories;
    bool are_cast = false;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const array* x = operands[i]->as_array();
        memories.push_back(x != nullptr ? &x->body()->memory : nullptr);
        are_cast = are_cast || (x != nullptr && x->dtype() != loop.operands[i]);
    }
    const shape::AxisOrder order = options.out ? shape::AxisOrder() : common_order(shape, memories, are_cast);
    for (const std::int64_t axis : order) operation.note(axis);
    const auto again = [&](std::span<const array> given) {
        const auto at = [&](int place) { return given[static_cast<std::size_t>(place)]; };
        const std::array<Operand, most_operands> taken{at(places[0]), at(places[1])};
        std::array<const Operand*, most_operands> pointers{taken.data(), taken.data() + 1};
        UfuncOptions now;
        if (mask >= 0) now.where = at(mask);
        if (out >= 0) now.out = at(out);
        now.casting = options.casting;
        const array result = record(op, loop, {pointers.data(), operands.size()}, now);
        return out >= 0 ? std::vector<array>() : std::vector<array>{laid_out(result, order)};
    };
    std::vector<array> results;
    if (!operation.run(*device, again, results)) return std::nullopt;
    if (out >= 0) return options.out;
    return std::move(results[0]);
}

array run(Op op, const Loop& loop, Operands operands, const UfuncOptions& options) {
    const array* mask = options.where ? &*options.where : nullptr;
    const array* out = options.out ? &*options.out : nullptr;
    for (const Operand* operand : operands) {
        if (operand->as_array() != nullptr) check_alive(*operand->as_array());
    }
    if (out != nullptr) check_output(op, loop.output, *out, options.casting);
    const Shape shape = result_shape(operands, mask, out);
    device::Backend* device = nullptr;
    if (may_be_on_device()) {
        if (out == nullptr || is_written_in_place(*out, operands, mask)) {
            if (auto there = run_there(op, loop, operands, options, shape, device)) return std::move(*there);
        } else if (is_for_device(operands, options)) {
            // The result first, in memory of its own.
            array result = cast(run(op, loop, operands, {}), out->dtype());
            if (mask != nullptr) result = select(*mask, result, *out);
            assign(*out, result);
            return *out;
        }
    }
    return run_on_host(op, loop, operands, options, shape, device);
}

// Integers to negative powers are an error. Here a weak exponent is held against it; those in arrays the precompiled kernel looks at, at run time.
void check_power(const Loop& loop, const Operand& exponent) {
    const Scalar* weak = exponent.as_scalar();
    if (!is_integer(loop.compute) || weak == nullptr || !weak->negative()) return;
    (void)ops::convert(*weak, loop.compute);  // OverflowError in an unsigned dtype
    throw ValueError("Integers to negative integer powers are not allowed.");
}

// The value of an exponent that is one number, where it is known.
std::optional<double> known_exponent(const Operand& exponent) {
    if (const Scalar* weak = exponent.as_scalar()) return weak->real();
    const array& x = *exponent.as_array();
    if (x.ndim() != 0 || is_complex(x.dtype())) return std::nullopt;
    if (x.is_recorded()) {
        const ir::Value value = x.body()->value;
        return value->op == Op::constant ? std::optional(value->attributes.scalar.real()) : std::nullopt;
    }
    if (Recorder::active() != nullptr || device::lies_on_device(x.body()->memory.data)) return std::nullopt;
    return ops::load(x.dtype(), x.body()->memory.data).real();
}

// NumPy's loops for float32 and float64 have other ways for some exponents, whose results differ at infinities, zeros and in the last place. (Those of the
// 16-bit floats and complex numbers have none; the same bits are quicker.)
std::optional<Op> instead_of_power(const Loop& loop, const Operand& exponent) {
    if (!is_floating(loop.compute)) return std::nullopt;
    const auto number = known_exponent(exponent);
    if (number == 1) return Op::positive;
    if (number == 2) return Op::square;
    if (itemsize_of(loop.compute) < 4) return std::nullopt;
    if (number == 0.5) return Op::sqrt;
    return number == -1 ? std::optional(Op::reciprocal) : std::nullopt;
}

bool is_comparison(Op op) { return op >= Op::equal && op <= Op::greater_equal; }

std::optional<bool> compare_unbounded(Op op, bool first_is_less) {
    switch (op) {
        case Op::equal: return false;
        case Op::not_equal: return true;
        case Op::less:
        case Op::less_equal: return first_is_less;
        default: return !first_is_less;
    }
}

Op compare_as(Op op, bool swapped) {
    if (!swapped) return op;
    switch (op) {
        case Op::less: return Op::greater;
        case Op::less_equal: return Op::greater_equal;
        case Op::greater: return Op::less;
        case Op::greater_equal: return Op::less_equal;
        default: return op;
    }
}

bool fits(const Scalar& value, Dtype dtype) {
    try {
        ops::convert(value, dtype);
        return true;
    } catch (const OverflowError&) {
        return false;
    }
}

// Comparisons that no common dtype could do: integers with a plain integer outside their range, and signed with uint64. Exact, as NumPy.
std::optional<array> compare_exactly(Op op, Operands operands, const UfuncOptions& options) {
    const array* x = operands[0]->as_array();
    const array* y = operands[1]->as_array();
    if (x != nullptr && y != nullptr) {
        if (x->dtype() == y->dtype()) return std::nullopt;
        const bool swapped = x->dtype() == Dtype::uint64;
        const array& with_sign = swapped ? *y : *x;
        const array& without = swapped ? *x : *y;
        if (kind_of(with_sign.dtype()) != 'i' || without.dtype() != Dtype::uint64) return std::nullopt;
        const Op turned = compare_as(op, swapped);
        const Operand zero(0), first(with_sign), second(without), positive(converted(with_sign, Dtype::uint64));
        const Operand* below[] = {&first, &zero};
        const Operand* magnitudes[] = {&positive, &second};
        const array chosen = select(ufunc(Op::less, below), constant(*compare_unbounded(turned, true), Dtype::bool_), ufunc(turned, magnitudes));
        const array both[] = {broadcast(*x, dims_of(chosen)), broadcast(*y, dims_of(chosen))};
        const array result = laid_out(chosen, result_order(op, {}, both));  // whatever repeats elements
        const Operand answer(result);
        const Operand* copied[] = {&answer, &answer};
        return options.out || options.where ? ufunc(Op::logical_and, copied, options) : result;
    }
    if ((x == nullptr) == (y == nullptr)) return std::nullopt;
    const array& tested = x != nullptr ? *x : *y;
    const Scalar& bound = x != nullptr ? *operands[1]->as_scalar() : *operands[0]->as_scalar();
    if (!is_integer(tested.dtype()) || bound.kind() != WeakKind::integer || fits(bound, tested.dtype())) return std::nullopt;
    // Of the tested array itself, so that it lies as a ufunc's result does.
    const Operand itself(tested);
    const Operand* twice[] = {&itself, &itself};
    const array result = ufunc(*compare_unbounded(compare_as(op, x == nullptr), !bound.negative()) ? Op::equal : Op::not_equal, twice);
    const Operand answer(result);
    const Operand* copied[] = {&answer, &answer};
    return options.out || options.where ? ufunc(Op::logical_and, copied, options) : result;
}

ops::LoopOperand loop_operand(const Operand& operand) {
    if (const array* x = operand.as_array()) return {x->dtype(), std::nullopt};
    return {std::nullopt, *operand.as_scalar()};
}

// Exponents for numpy.ldexp that a wide dtype holds, brought into the loop's int32; what is beyond makes no difference.
std::optional<Operand> narrowed_exponents(Op op, Operands operands) {
    if (op != Op::ldexp) return std::nullopt;
    if (const Scalar* weak = operands[1]->as_scalar()) {
        if (operands[0]->as_array() != nullptr || weak->kind() > WeakKind::integer || fits(*weak, Dtype::int32)) return std::nullopt;
        (void)ops::convert(*weak, Dtype::int64);  // OverflowError
        return Operand(weak->negative() ? INT32_MIN : INT32_MAX);
    }
    const array& exponents = *operands[1]->as_array();
    if (!can_cast(exponents.dtype(), Dtype::int64) || can_cast(exponents.dtype(), Dtype::int32)) return std::nullopt;
    return Operand(cast(clip(cast(exponents, Dtype::int64), INT32_MIN, INT32_MAX), Dtype::int32));
}

// Of a Python number beside arrays only its truth counts to a logical op, whatever the arrays' dtype holds; NumPy takes an integer as a C long first.
std::optional<Operand> truth_of(Op op, const Operand& operand) {
    const Scalar* weak = operand.as_scalar();
    if (!ops::is_logical(op) || weak == nullptr || weak->kind() == WeakKind::boolean) return std::nullopt;
    if (weak->kind() == WeakKind::integer) (void)ops::convert(*weak, Dtype::int64);  // OverflowError
    return Operand(Scalar(weak->real() != 0 || weak->imag() != 0));
}

void check_mask(const array& mask) {
    if (mask.dtype() == Dtype::bool_) return;
    throw TypeError("Cannot cast array data from dtype('" + std::string(name_of(mask.dtype())) + "') to dtype('bool') according to the rule 'safe'");
}

}  // namespace

array ufunc(Op op, Operands operands, const UfuncOptions& options) {
    if (options.where) check_mask(*options.where);
    if (is_comparison(op) && options.dtype.value_or(Dtype::bool_) == Dtype::bool_) {
        if (auto result = compare_exactly(op, operands, options)) return std::move(*result);
    }
    if (const auto narrow = narrowed_exponents(op, operands)) {
        const Operand* both[] = {operands[0], &*narrow};
        const array made = ufunc(op, both, options);
        if (options.out || made.ndim() < 2) return made;
        const shape::Dims shape = dims_of(made);
        const array given[] = {broadcast(as_array(*operands[0]), shape), broadcast(as_array(*operands[1]), shape)};
        return laid_out(made, result_order(op, {}, given));
    }
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const auto truth = truth_of(op, *operands[i]);
        if (!truth) continue;
        std::array<const Operand*, most_operands> replaced{};
        std::copy(operands.begin(), operands.end(), replaced.begin());
        replaced[i] = &*truth;
        UfuncOptions castable = options;
        if (castable.casting < Casting::safe) castable.casting = Casting::safe;
        return ufunc(op, {replaced.data(), operands.size()}, castable);
    }
    std::array<ops::LoopOperand, most_operands> types;
    for (std::size_t i = 0; i < operands.size(); ++i) types[i] = loop_operand(*operands[i]);
    const Loop loop = ops::resolve(op, {types.data(), operands.size()}, options.dtype, options.casting);
    if (op == Op::power) {
        check_power(loop, *operands[1]);
        if (const auto other = instead_of_power(loop, *operands[1])) {
            if (options.out) check_output(op, loop.output, *options.out, options.casting);
            UfuncOptions in_loop = options;
            in_loop.dtype = loop.compute;
            return ufunc(*other, operands.first(1), in_loop);
        }
    }
    return Recorder::active() != nullptr ? record(op, loop, operands, options) : run(op, loop, operands, options);
}

}  // namespace api

#define MAP1(name, rule, meaning, partial, traits, doc)         \
    array name(const Operand& x, const UfuncOptions& options) { \
        const Operand* operands[] = {&x};                       \
        return api::ufunc(ir::Op::name, operands, options);     \
    }
#define MAP2(name, rule, meaning, partial_x, partial_y, traits, doc)              \
    array name(const Operand& x, const Operand& y, const UfuncOptions& options) { \
        const Operand* operands[] = {&x, &y};                                     \
        return api::ufunc(ir::Op::name, operands, options);                       \
    }
#include "fastnp/ops/map.def"

}  // namespace fastnp
